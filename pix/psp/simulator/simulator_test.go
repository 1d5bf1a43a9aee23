package simulator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
)

var txID = pix.ChargeTxID("chk_0123456789abcdef0123")

func charge() psp.Charge {
	return psp.Charge{
		TxID: txID, Amount: 49_90, ExpiresIn: 30 * time.Minute,
		MerchantName: "Ateliê Aurora", City: "São Paulo", Description: "Pedido 1",
	}
}

func open(t *testing.T, host string) *simulator.Provider {
	t.Helper()
	p, err := simulator.New(host)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPutCharge(t *testing.T) {
	t.Parallel()
	p := open(t, "pay.example.com:8443")
	issued, err := p.PutCharge(t.Context(), charge())
	if err != nil {
		t.Fatal(err)
	}
	got, err := pix.Parse(issued.CopyPaste)
	if err != nil {
		t.Fatal(err)
	}
	want := pix.Code{
		Initiation: pix.SingleUse, Location: "pay.example.com:8443/sim/" + txID,
		Amount: 49_90, MerchantName: "Atelie Aurora", MerchantCity: "Sao Paulo",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if again, err := p.PutCharge(t.Context(), charge()); err != nil || again != issued {
		t.Errorf("the same charge again: %+v, %v", again, err)
	}
}

// The simulator accepts a merchant of any name, so that every merchant can try the gateway.
func TestPutCharge_Names(t *testing.T) {
	t.Parallel()
	p := open(t, "pay.example.com")
	for _, tc := range []struct{ name, city, wantName, wantCity string }{
		{strings.Repeat("Loja ", 40), "São José do Rio Preto", "Loja Loja Loja Loja Loja", "Sao Jose do Rio"},
		{"寿司", "東京", "LOJA DE TESTE", "SAO PAULO"},
		{"", "", "LOJA DE TESTE", "SAO PAULO"},
	} {
		c := charge()
		c.MerchantName, c.City = tc.name, tc.city
		issued, err := p.PutCharge(t.Context(), c)
		if err != nil {
			t.Errorf("%q: %v", tc.name, err)
			continue
		}
		code, err := pix.Parse(issued.CopyPaste)
		if err != nil || code.MerchantName != tc.wantName || code.MerchantCity != tc.wantCity {
			t.Errorf("%q, %q: %+v, %v", tc.name, tc.city, code, err)
		}
	}
}

func TestPutCharge_Refused(t *testing.T) {
	t.Parallel()
	p := open(t, "pay.example.com")
	for name, change := range map[string]func(*psp.Charge){
		"no TxID":           func(c *psp.Charge) { c.TxID = "" },
		"TxID of 25":        func(c *psp.Charge) { c.TxID = strings.Repeat("a", 25) },
		"TxID with a slash": func(c *psp.Charge) { c.TxID = strings.Repeat("a", 30) + "/" },
		"no amount":         func(c *psp.Charge) { c.Amount = 0 },
		"negative amount":   func(c *psp.Charge) { c.Amount = -1 },
		"amount too large":  func(c *psp.Charge) { c.Amount = 1_000_000_000_000 },
	} {
		c := charge()
		change(&c)
		if issued, err := p.PutCharge(t.Context(), c); err == nil || issued != (psp.Issued{}) {
			t.Errorf("%s: %+v, %v", name, issued, err)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("a", 40-len(".com")) + ".com"
	issued, err := open(t, longest).PutCharge(t.Context(), charge())
	if err != nil {
		t.Fatal(err)
	}
	if code, err := pix.Parse(issued.CopyPaste); err != nil || len(code.Location) != 77 {
		t.Errorf("location %q, %v", code.Location, err)
	}
	if _, err := simulator.New("a" + longest); err == nil || !strings.Contains(err.Error(), "room for 40") {
		t.Errorf("New with 41 characters: %v", err)
	}
	for _, host := range []string{"", "https://pay.example.com", "pay.example.com/", "pay.example.com/shop",
		"pay.example.com:", "user@pay.example.com"} {
		if _, err := simulator.New(host); err == nil {
			t.Errorf("New(%q) is accepted", host)
		}
	}
}

func TestPay(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 21, 30, 15, 123e6, time.FixedZone("BRT", -3*60*60))
	first, second := simulator.Pay(txID, 49_90, at), simulator.Pay(txID, 49_90, at)
	if first.EndToEndID == second.EndToEndID {
		t.Error("two payments share an EndToEndID")
	}
	if !pix.ValidEndToEndID(first.EndToEndID) || !strings.HasPrefix(first.EndToEndID, "E99999999202611210030") {
		t.Errorf("EndToEndID %s", first.EndToEndID)
	}
	want := psp.Payment{EndToEndID: first.EndToEndID, TxID: txID, Amount: 49_90, PaidAt: at}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func BenchmarkPutCharge(b *testing.B) {
	p, err := simulator.New("pay.example.com")
	if err != nil {
		b.Fatal(err)
	}
	c := charge()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.PutCharge(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}
