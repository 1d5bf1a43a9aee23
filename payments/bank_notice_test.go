package payments_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/control"
)

// noticed returns a house whose bank posts notices.
func noticed(t *testing.T) (*bankstest.House, *bankstest.Notices) {
	t.Helper()
	h := bankstest.New(t)
	n := h.Receive(t)
	h.Register(t)
	return h, n
}

// outcomes returns what became of the notices, "" for those that wait, the oldest first.
func outcomes(t *testing.T, h *bankstest.House) []string {
	t.Helper()
	return modelstest.Column[string](t, h.DB, "SELECT coalesce(outcome, '') FROM bank_notices ORDER BY id")
}

// pay pays a code, and returns when the bank's notice of it is written.
func pay(t *testing.T, h *bankstest.House, n *bankstest.Notices, code string) (endToEndID string) {
	t.Helper()
	endToEndID = h.Pay(t, control.PayRequest{Code: code})[0]
	const written = `SELECT count(*) FROM bank_notices
		WHERE hints @> jsonb_build_array(jsonb_build_object('endToEndId', $1::text))`
	for modelstest.One[int](t, h.DB, written, endToEndID) == 0 {
		<-n.Received
	}
	return endToEndID
}

// once checks that a checkout was paid by one Pix, and told so once.
func once(t *testing.T, h *bankstest.House, id string) {
	t.Helper()
	expect(t, h, id, models.CheckoutPaid)
	for what, sql := range map[string]string{
		"payments": "SELECT count(*) FROM payments WHERE checkout_id = $1",
		"events":   "SELECT count(*) FROM events WHERE checkout_id = $1 AND type = 'checkout.paid'",
	} {
		if n := modelstest.One[int](t, h.DB, sql, id); n != 1 {
			t.Errorf("%d %s of the checkout", n, what)
		}
	}
	if got := exceptions(t, h); len(got) > 0 {
		t.Errorf("exceptions %v", got)
	}
}

// A notice makes a payment known without a sweep.
func TestNotice(t *testing.T) {
	t.Parallel()
	h, n := noticed(t)
	c := h.Charge(t, payments.NewCheckout{})
	pay(t, h, n, c.CopyPaste)
	h.Follow(t)
	once(t, h, c.ID)
	if got := outcomes(t, h); !slices.Equal(got, []string{"RECORDED"}) {
		t.Errorf("outcomes %v", got)
	}
}

// The notice comes before the checkout is written: it waits, and the checkout is PAID.
func TestNotice_F14_EarlyNotice(t *testing.T) {
	t.Parallel()
	h, n := noticed(t)
	other := h.Another(t)
	h.Service.Banks = between{Banks: h.Banks, after: func() error {
		txID := modelstest.One[string](t, h.DB, "SELECT txid FROM bank_charges")
		bank, err := other.Banks.For(t.Context(), h.AccountID)
		if err != nil {
			return err
		}
		state, err := bank.Charge(t.Context(), txID)
		if err != nil {
			return err
		}
		pay(t, h, n, state.CopyPaste)
		for range 3 {
			other.Follow(t) // the second time it is not due
		}
		return nil
	}}
	c := h.Charge(t, payments.NewCheckout{})
	expect(t, h, c.ID, models.CheckoutPending)
	if got := outcomes(t, h); !slices.Equal(got, []string{""}) {
		t.Errorf("outcomes %v", got)
	}
	h.Later(2 * time.Second)
	h.Follow(t)
	once(t, h, c.ID)
	if got := outcomes(t, h); !slices.Equal(got, []string{"RECORDED"}) {
		t.Errorf("outcomes %v", got)
	}
}

// A notice that names the charge alone waits for the checkout as well.
func TestNotice_EarlyByTxID(t *testing.T) {
	t.Parallel()
	h, _ := noticed(t)
	h.Service.Banks = between{Banks: h.Banks, after: func() error {
		txID := modelstest.One[string](t, h.DB, "SELECT txid FROM bank_charges")
		bank, err := h.Banks.For(t.Context(), h.AccountID)
		if err != nil {
			return err
		}
		state, err := bank.Charge(t.Context(), txID)
		if err != nil {
			return err
		}
		h.Pay(t, control.PayRequest{Code: state.CopyPaste})
		_, err = h.FollowHints(t.Context(), h.AccountID, []models.NoticeHint{{TxID: txID}})
		if !errors.Is(err, payments.ErrNotYet) {
			t.Errorf("followed early: %v", err)
		}
		return nil
	}}
	c := h.Charge(t, payments.NewCheckout{})
	for i, want := range []models.NoticeOutcome{models.NoticeRecorded, models.NoticeRepeated} {
		got, err := h.FollowHints(t.Context(), h.AccountID, []models.NoticeHint{{TxID: c.TxID}})
		if got != want || err != nil {
			t.Errorf("%d: %s, %v", i, got, err)
		}
	}
	once(t, h, c.ID)
}

// No notice comes: the sweep finds the payment.
func TestNotice_F15_NoticeLost(t *testing.T) {
	t.Parallel()
	h, _ := noticed(t)
	c := h.Charge(t, payments.NewCheckout{})
	h.Fault(t, control.Fault{Name: "no-notices"})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Later(20 * time.Second)
	h.Tend(t)
	once(t, h, c.ID)
	if got := outcomes(t, h); len(got) > 0 {
		t.Errorf("outcomes %v", got)
	}
}

// The notice comes twice, in a bare array, and 64 come in one body: each payment is recorded once.
func TestNotice_F16_Repeated(t *testing.T) {
	t.Parallel()
	h, n := noticed(t)
	for _, fault := range []string{"double-notices", "array-notices"} {
		h.Fault(t, control.Fault{Name: fault})
		c := h.Charge(t, payments.NewCheckout{})
		pay(t, h, n, c.CopyPaste)
		h.Follow(t)
		once(t, h, c.ID)
		h.Heal(t)
	}
	c := h.Charge(t, payments.NewCheckout{})
	id := pay(t, h, n, c.CopyPaste)
	h.Follow(t)
	item := `{"endToEndId":"` + id + `","txid":"` + c.TxID + `","valor":"49.90"}`
	same := `{"pix":[` + strings.Repeat(item+",", 63) + item + "]}"
	many := make([]string, 64)
	for i := range many {
		many[i] = fmt.Sprintf(`{"endToEndId":"E9999999920261125120000000000%03d"}`, i)
	}
	listed := h.Charge(t, payments.NewCheckout{})
	h.Fault(t, control.Fault{Name: "no-notices"})
	h.Pay(t, control.PayRequest{Code: listed.CopyPaste})
	for _, body := range []string{same, "[" + strings.Join(many, ",") + "]"} {
		if status := h.Post(t, n.URL+h.Path(t), body, h.Certificate(t)); status != 200 {
			t.Errorf("64 in one: %d", status)
		}
		h.Follow(t)
	}
	if got := outcomes(t, h); !slices.Equal(got[len(got)-2:], []string{"REPEATED", "SWEPT"}) {
		t.Errorf("outcomes %v", got)
	}
	h.Tend(t) // the sweep is due at once
	for _, id := range []string{c.ID, listed.ID} {
		once(t, h, id)
	}
}

// What a notice says of money is not believed, and what it names for others changes nothing.
func TestNotice_F17_Forged(t *testing.T) {
	t.Parallel()
	h, n := noticed(t)
	c, unpaid := h.Charge(t, payments.NewCheckout{}), h.Charge(t, payments.NewCheckout{})
	h.Fault(t, control.Fault{Name: "forged-notice"})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	for range 3 { // one of another key, one with false money, and the true one
		<-n.Received
	}
	for i, body := range []string{
		`{"pix":[{"txid":"` + unpaid.TxID + `","valor":"10.00","horario":"2026-11-25T12:00:00Z"}]}`,
		`{"pix":[{"endToEndId":"E9999999920261125120000000000001","txid":"` + unpaid.TxID + `","valor":"10.00"}]}`,
		`{"pix":[{"txid":"00000000000000000000000000"}]}`,
	} {
		if status := h.Post(t, n.URL+h.Path(t)+"/pix", body, h.Certificate(t)); status != 200 {
			t.Errorf("forgery %d: %d", i, status)
		}
	}
	h.Follow(t)
	once(t, h, c.ID)
	expect(t, h, unpaid.ID, models.CheckoutPending)
	got := outcomes(t, h)
	slices.Sort(got)
	if strings.Join(got, " ") != "READ RECORDED REPEATED UNKNOWN UNKNOWN UNKNOWN" &&
		strings.Join(got, " ") != "READ RECORDED RECORDED UNKNOWN UNKNOWN UNKNOWN" { // both were read at once
		t.Errorf("outcomes %v", got)
	}
	n.WriteCounts(t.Context())
	counts, err := models.NoticeCounts(t.Context(), h.DB.Pool, h.AccountID, h.Service.Now().Add(-time.Hour))
	if err != nil || counts[models.NoticeUnproven] != 1 {
		t.Errorf("counts %v, %v", counts, err)
	}
}
