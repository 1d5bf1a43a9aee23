package payments_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
)

// receiptMails returns how many receipts wait to be sent to an address.
func receiptMails(t *testing.T, s *shop, to string) int {
	t.Helper()
	return modelstest.One[int](t, s.DB, "SELECT count(*) FROM mails WHERE kind = 'receipt' AND recipient = $1", to)
}

// A buyer gets a few receipts of a charge, and an address a few a day, from all charges. A member may send some more.
// A form sends one, also when it is sent six times at once.
func TestMailReceipt(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	sold := s.sells(s.Live, 49_90)
	form := 0
	ask := func(id, to string, by *models.Actor) error {
		form++
		return s.MailReceipt(t.Context(), payments.ReceiptRequest{CheckoutID: id, To: to, Form: strconv.Itoa(form),
			Language: "pt-BR", By: by, Scope: s.Live})
	}
	var at errgroup.Group
	for range 6 {
		at.Go(func() error {
			return s.MailReceipt(t.Context(), payments.ReceiptRequest{CheckoutID: sold.ID, Form: "same",
				Language: "en"})
		})
	}
	if err := at.Wait(); err != nil || receiptMails(t, s, "bia@buyer.example") != 1 {
		t.Fatalf("six times the same form: %d mails, %v", receiptMails(t, s, "bia@buyer.example"), err)
	}
	for i, want := range []error{nil, nil, payments.ErrReceiptLimit} {
		if err := ask(sold.ID, "x@other.example", nil); !errors.Is(err, want) {
			t.Errorf("the buyer's receipt %d: %v", i+2, err)
		}
	}
	for i := range 6 {
		var want error
		if i == 5 {
			want = payments.ErrReceiptLimit
		}
		if err := ask(sold.ID, "m"+strconv.Itoa(i)+"@other.example", &s.Owner); !errors.Is(err, want) {
			t.Errorf("a member's receipt %d: %v", i+1, err)
		}
	}
	lines := modelstest.One[int](t, s.DB, "SELECT count(*) FROM audit_log WHERE action = 'checkout.receipt_mailed'")
	if lines != 5 {
		t.Errorf("%d lines in the audit log", lines)
	}
	for i := range 9 {
		var want error
		if i == 8 { // two came from the first charge
			want = payments.ErrReceiptLimit
		}
		if err := ask(s.sells(s.Live, 10_00).ID, "X@OTHER.example", nil); !errors.Is(err, want) {
			t.Errorf("receipt %d of a day to one address: %v", i+3, err)
		}
	}
	s.Clock.Advance(25 * time.Hour)
	if err := ask(s.sells(s.Live, 10_00).ID, "x@other.example", nil); err != nil {
		t.Errorf("a day later: %v", err)
	}
}

// Who may not send a receipt, and what has none.
func TestMailReceipt_Refused(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	sold, tried := s.sells(s.Live, 49_90), s.sells(s.Test, 49_90)
	open := s.Checkout(t, payments.NewCheckout{})
	stranger := s.Merchant(t, "bia@example.com")
	to := func(address string) payments.ReceiptRequest {
		return payments.ReceiptRequest{CheckoutID: sold.ID, To: address}
	}
	for name, tc := range map[string]struct {
		in   payments.ReceiptRequest
		want any // an error, or the code of a refusal
	}{
		"pending":          {payments.ReceiptRequest{CheckoutID: open.ID, To: "a@b.co"}, refusal.WrongState},
		"unknown":          {payments.ReceiptRequest{CheckoutID: "chk_00000000000000000000"}, refusal.CheckoutNotFound},
		"no address":       {to("bia@"), payments.ErrReceiptAddress},
		"a host of no dot": {to("a@b"), payments.ErrReceiptAddress},
		"two addresses":    {to("a@b.co,c@d.co"), payments.ErrReceiptAddress},
		"a line break":     {to("a@b.co\r\nBcc: c@d.co"), payments.ErrReceiptAddress},
		"a test receipt":   {payments.ReceiptRequest{CheckoutID: tried.ID, To: "a@b.co"}, payments.ErrReceiptTest},
		"a stranger": {payments.ReceiptRequest{CheckoutID: sold.ID, By: &stranger.Owner, Scope: stranger.Live},
			refusal.CheckoutNotFound},
		"another project": {payments.ReceiptRequest{CheckoutID: sold.ID, By: &stranger.Owner, Scope: s.Live},
			refusal.Forbidden},
		"the other environment": {payments.ReceiptRequest{CheckoutID: sold.ID, By: &s.Owner, Scope: s.Test},
			refusal.CheckoutNotFound},
	} {
		tc.in.Form, tc.in.Language = "f", "pt-BR"
		err := s.MailReceipt(t.Context(), tc.in)
		want, _ := tc.want.(error)
		if want != nil && !errors.Is(err, want) || want == nil && refusal.Of(err).Code != tc.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.GiveRole(t, models.RoleViewer)
	err := s.MailReceipt(t.Context(), payments.ReceiptRequest{CheckoutID: sold.ID, Form: "f", By: &s.Owner,
		Scope: s.Live})
	if refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("a viewer: %v", err)
	}
	if n := modelstest.One[int](t, s.DB, "SELECT count(*) FROM mails WHERE kind = 'receipt'"); n != 0 {
		t.Errorf("%d mails", n)
	}
	own := modelstest.One[string](t, s.DB, "UPDATE users SET email_verified_at = now() WHERE id = $1 RETURNING email",
		s.Owner.UserID)
	err = s.MailReceipt(t.Context(), payments.ReceiptRequest{CheckoutID: tried.ID, To: strings.ToUpper(own), Form: "g",
		Language: "en"})
	if err != nil {
		t.Errorf("a test receipt to the owner: %v", err)
	}
}

// A receipt has the merchant's words, and the name of the payer if a member sends it. While the merchant may not
// charge it has no words.
func TestMailReceipt_Words(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	words := models.Thanks{Text: "Chega em 3 dias.", Label: "Acompanhar", URL: "https://loja.example/pedido"}
	if err := s.Merchants.SetThanks(t.Context(), s.Owner, merchants.Thanks{Thanks: words}); err != nil {
		t.Fatal(err)
	}
	sold := s.sells(s.Live, 49_90)
	send := func(form string, by *models.Actor) {
		t.Helper()
		err := s.MailReceipt(t.Context(), payments.ReceiptRequest{CheckoutID: sold.ID, Form: form, Language: "pt-BR",
			By: by, Scope: s.Live})
		if err != nil {
			t.Fatal(err)
		}
	}
	param := func(form, name string) string {
		return modelstest.One[string](t, s.DB, "SELECT coalesce(params->>$2, '') FROM mails WHERE fact = $1",
			"receipt/"+sold.ID+"/"+form, name)
	}
	send("buyer", nil)
	send("member", &s.Owner)
	modelstest.Exec(t, s.DB, "UPDATE accounts SET suspended = true WHERE id = $1", s.Account.ID)
	send("stopped", nil)
	for form, want := range map[string][2]string{"buyer": {words.URL, ""}, "member": {words.URL, "Bia Buyer"},
		"stopped": {"", ""}} {
		if url, payer := param(form, "thanks_url"), param(form, "payer"); url != want[0] || payer != want[1] {
			t.Errorf("%s: the button leads to %q, and %q paid", form, url, payer)
		}
	}
	for name, want := range map[string]string{"amount": "4990", "test": "", "order": sold.ExternalID} {
		if got := param("buyer", name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if param("buyer", "end_to_end_id") == "" {
		t.Error("the receipt does not name the transaction")
	}
}
