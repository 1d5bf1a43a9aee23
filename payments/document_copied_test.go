package payments_test

import (
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// A charge that a buyer renews has the document of the one that expired.
func TestRenewCheckout_Document(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	link, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, newLink("k"))
	if err != nil {
		t.Fatal(err)
	}
	document := buyerDocument
	c, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Buyer: payments.Customer{Document: &document}})
	if err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(time.Hour)
	if _, err := g.ExpireDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := g.RenewCheckout(t.Context(), c.ID)
	if err != nil || again.CustomerDocument == nil || *again.CustomerDocument != document {
		t.Errorf("renewed as %+v, %v", again, err)
	}
}

// The event of a refund shows the document, which is sealed in the charge.
func TestRefund_Document(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	if _, _, err := h.Merchants.CreateEndpoint(t.Context(), h.Owner, h.Live, merchants.NewEndpoint{
		URL: "https://loja.example/hook", Types: []string{models.EventCheckoutRefunded}}); err != nil {
		t.Fatal(err)
	}
	c := sold(t, h)
	modelstest.Exec(t, h.DB, "UPDATE checkouts SET customer_document = $1 WHERE id = $2", buyerDocument, c.ID)
	if err := h.SealDocuments(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended(t, h, refund(t, h, c.ID, 10_00).ID, models.RefundCompleted)
	if got := modelstest.One[string](t, h.DB, `SELECT convert_from(body, 'UTF8')::jsonb
		#>> '{data,checkout,customer,document}' FROM events WHERE type = 'checkout.refunded'`); got != buyerDocument {
		t.Errorf("the event shows the document %q", got)
	}
}
