package payload_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/payload"
	"garoupa/models"
)

// A withdrawal as docs/rules.md, "Withdrawals", describes it, for encoding/json.
type (
	withdrawal struct {
		ID          string      `json:"id"`
		Livemode    bool        `json:"livemode"`
		Rail        string      `json:"rail"`
		Status      string      `json:"status"`
		Currency    string      `json:"currency"`
		Amount      string      `json:"amount"`
		FeeAmount   string      `json:"feeAmount"`
		NetAmount   string      `json:"netAmount"`
		Destination destination `json:"destination"`
		Quote       *quote      `json:"quote"`
		EndToEndID  *string     `json:"endToEndId"`
		TxHash      *string     `json:"txHash"`
		FailureCode *string     `json:"failureCode"`
		Reason      *string     `json:"reason"`
		CreatedAt   string      `json:"createdAt"`
		ApprovedAt  *string     `json:"approvedAt"`
		CompletedAt *string     `json:"completedAt"`
		UpdatedAt   string      `json:"updatedAt"`
	}
	destination struct {
		Type       string  `json:"type"`
		Key        *string `json:"key"`
		Address    *string `json:"address"`
		Network    *string `json:"network"`
		HolderName string  `json:"holderName"`
	}
	quote struct {
		Asset     string `json:"asset"`
		Network   string `json:"network"`
		Rate      string `json:"rate"`
		Amount    string `json:"amount"`
		ExpiresAt string `json:"expiresAt"`
	}
	withdrawalEvent struct {
		ID        string `json:"id"`
		Type      string `json:"type"`
		CreatedAt string `json:"createdAt"`
		Livemode  bool   `json:"livemode"`
		Data      struct {
			Withdrawal withdrawal `json:"withdrawal"`
		} `json:"data"`
	}
)

func byPix() (models.Withdrawal, withdrawal) {
	key := "***.982.247-**"
	return models.Withdrawal{
			ID: "wdr_0123456789abcdef0123", Rail: models.RailPix, Status: models.WithdrawalPendingReview, Version: 1,
			Amount: 150_00, Fee: 1_50,
			Destination: models.Destination{Rail: models.RailPix, Type: "CPF", Masked: key, HolderName: `Ana "Lima"`,
				Address: []byte("sealed")},
			CreatedAt: at, UpdatedAt: at,
		}, withdrawal{
			ID: "wdr_0123456789abcdef0123", Livemode: true, Rail: "BRL_PIX", Status: "PENDING_REVIEW", Currency: "BRL",
			Amount: "150.00", FeeAmount: "1.50", NetAmount: "148.50",
			Destination: destination{Type: "CPF", Key: &key, HolderName: `Ana "Lima"`},
			CreatedAt:   "2026-11-20T15:00:00.123Z", UpdatedAt: "2026-11-20T15:00:00.123Z",
		}
}

// byWallet returns a withdrawal in USDT with two quotes. The quote of its approval applies
// once it is approved.
func byWallet(approved bool) (models.Withdrawal, withdrawal) {
	w, want := byPix()
	address, network, hash, code, reason := "TLa2f6…5wYjU7", "TRON", "ab", "AC03", "A conta não existe."
	later, told := at.Add(time.Hour), "2026-11-20T16:00:00.123Z"
	w.Rail, w.Destination.Rail = models.RailUSDT, models.RailUSDT
	w.Destination.Type, w.Destination.Masked = network, address
	w.Quote = &models.Quote{Rate: 542_000_000, Amount: 27_398523, ExpiresAt: at}
	w.ApprovalQuote = &models.Quote{Rate: 1, Amount: 1, ExpiresAt: later}
	want.Rail, want.Destination = "USDT_WALLET", destination{Type: network, Address: &address, Network: &network,
		HolderName: w.Destination.HolderName}
	want.Quote = &quote{Asset: "USDT", Network: network, Rate: "5.42000000", Amount: "27.398523",
		ExpiresAt: "2026-11-20T15:00:00.123Z"}
	if approved {
		w.Status, w.ApprovedAt, w.CompletedAt = models.WithdrawalReturned, &later, &later
		w.TxHash, w.FailureCode, w.Reason = &hash, &code, &reason
		want.Status, want.ApprovedAt, want.CompletedAt = "RETURNED", &told, &told
		want.TxHash, want.FailureCode, want.Reason = &hash, &code, &reason
		want.Quote = &quote{Asset: "USDT", Network: network, Rate: "0.00000001", Amount: "0.000001", ExpiresAt: told}
	}
	return w, want
}

func TestAppendWithdrawal(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string]func() (models.Withdrawal, withdrawal){
		"by Pix, in review":             byPix,
		"to a wallet, in review":        func() (models.Withdrawal, withdrawal) { return byWallet(false) },
		"to a wallet, and it came back": func() (models.Withdrawal, withdrawal) { return byWallet(true) },
		"paid by Pix": func() (models.Withdrawal, withdrawal) {
			w, want := byPix()
			id := "E99999999202611201500abcdefghijk"
			w.EndToEndID, want.EndToEndID = &id, &id
			return w, want
		},
	} {
		w, want := pair()
		if diff := cmp.Diff(plain(t, want), string(payload.AppendWithdrawal(nil, &w))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestAppendWithdrawalEvent(t *testing.T) {
	t.Parallel()
	w, shape := byPix()
	want := withdrawalEvent{ID: "evt_1", Type: "withdrawal.created", CreatedAt: "2026-11-20T15:00:00.123Z",
		Livemode: true}
	want.Data.Withdrawal = shape
	if diff := cmp.Diff(plain(t, want),
		string(payload.AppendWithdrawalEvent(nil, "evt_1", "withdrawal.created", at, &w))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAppendBalance(t *testing.T) {
	t.Parallel()
	got := string(payload.AppendBalance(nil, models.Live,
		models.Balance{Gross: 100_00, Fee: 99, Refunded: 1, Withdrawn: 2, Pending: 3, Available: 4, Reserved: 5,
			Blocked: -6}))
	want := `{"livemode":true,"currency":"BRL","grossAmount":"100.00","feeAmount":"0.99",` +
		`"pendingAmount":"0.03","availableAmount":"0.04","reservedAmount":"0.05","blockedAmount":"-0.06"}`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
