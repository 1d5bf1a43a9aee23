package pix_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/pix"
)

func TestValidTxID(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		txID           string
		static, charge bool
	}{
		{"", false, false},
		{"a", true, false},
		{"***", false, false},
		{"CHK0001", true, false},
		{"abc-1", false, false},
		{"ábc", false, false},
		{strings.Repeat("Z", 25), true, false},
		{strings.Repeat("z", 26), false, true},
		{strings.Repeat("9", 35), false, true},
		{strings.Repeat("0", 36), false, false},
		{strings.Repeat("0", 25) + "\n", false, false},
	} {
		if got := pix.ValidStaticTxID(tc.txID); got != tc.static {
			t.Errorf("ValidStaticTxID(%q) = %v", tc.txID, got)
		}
		if got := pix.ValidChargeTxID(tc.txID); got != tc.charge {
			t.Errorf("ValidChargeTxID(%q) = %v", tc.txID, got)
		}
	}
}

// The TxID of a checkout never changes. The expected value is the beginning of the output of
// printf 'cob|chk_0123456789abcdef0123' | sha256sum.
func TestChargeTxID(t *testing.T) {
	t.Parallel()
	const want = "b2af05b380b984d20bf39c4df36f614f"
	if got := pix.ChargeTxID("chk_0123456789abcdef0123"); got != want || !pix.ValidChargeTxID(got) {
		t.Errorf("ChargeTxID = %s, want %s", got, want)
	}
	if pix.ChargeTxID("chk_0123456789abcdef0124") == want {
		t.Error("two checkouts share a TxID")
	}
}

func TestNewEndToEndID(t *testing.T) {
	t.Parallel()
	saoPaulo := time.FixedZone("BRT", -3*60*60)
	at := time.Date(2026, 12, 31, 22, 59, 58, 0, saoPaulo)
	seen := map[string]bool{}
	for range 1000 {
		id := pix.NewEndToEndID("99999999", at)
		if !pix.ValidEndToEndID(id) || !strings.HasPrefix(id, "E99999999202701010159") || seen[id] {
			t.Fatalf("NewEndToEndID = %s", id)
		}
		seen[id] = true
	}
}

func TestValidEndToEndID(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		id   string
		want bool
	}{
		{"E12345678202009091221abcdef12345", true},
		{"E12ABC345202009091221abcdef12345", true}, // an ISPB may have letters
		{"", false},
		{"D12345678202009091221abcdef12345", false},
		{"E12abc345202009091221abcdef12345", false},
		{"E12345678202013091221abcdef12345", false},
		{"E12345678202009321221abcdef12345", false},
		{"E12345678202009092421abcdef12345", false},
		{"E12345678202009091260abcdef12345", false},
		{"E12345678202009091221abcdef1234", false},
		{"E12345678202009091221abcdef123456", false},
		{"E12345678202009091221abcdef1234-", false},
		{"E12345678202009091221abcdef12345\n", false},
	} {
		if got := pix.ValidEndToEndID(tc.id); got != tc.want {
			t.Errorf("ValidEndToEndID(%q) = %v", tc.id, got)
		}
	}
}
