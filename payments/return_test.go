package payments_test

import (
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// A return of the institution is booked once, by a refund or by an exception: of two people
// who record it at the same moment the second is refused, and so is everyone after.
func TestReturn_BookedOnce(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by, other := g.Staff(t), g.Staff(t)
	var paymentID string
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE checkout_id = $1",
		g.Fund(t, models.Test, 100_00).ID).Scan(&paymentID); err != nil {
		t.Fatal(err)
	}
	refund := func(returnID string) func() error {
		return func() error {
			_, err := g.RefundPayment(t.Context(), by, payments.NewRefund{
				PaymentID: paymentID, Amount: 10_00, Reason: "Devolvido.", ReturnID: returnID,
			})
			return err
		}
	}
	except := func(returnID string) func() error {
		g.Clock.Advance(time.Second) // exceptions are found by their order
		id := twice(t, g, 10_00)
		return func() error {
			_, err := g.RefundException(t.Context(), other, id, "Pago em dobro.", returnID)
			return err
		}
	}
	late := except("D1")
	booked, again := g.Race(t, except("D1"), refund("D1"))
	if booked != nil {
		t.Error(booked)
	}
	refused(t, "a refund while an exception is decided", again, refusal.ProofTaken)
	refused(t, "an exception after another", late(), refusal.ProofTaken)
	booked, again = g.Race(t, refund("D2"), except("D2"))
	if booked != nil {
		t.Error(booked)
	}
	refused(t, "an exception while a refund is recorded", again, refusal.ProofTaken)
	sound(t, g)
}
