package webtest

import (
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
)

// Contested makes a live payment of R$ 100 and, by staff, a dispute of it that is due in two days.
func (s *Site) Contested(t *testing.T, bankRef string) *models.Dispute {
	t.Helper()
	paid := s.Fund(t, models.Live, 100_00)
	d, err := s.OpenDispute(t.Context(), s.Staff(t), payments.NewDispute{BankRef: bankRef, Cause: "Golpe do Pix",
		PaymentID: modelstest.One[string](t, s.DB, "SELECT id FROM payments WHERE checkout_id = $1", paid.ID),
		AnswerBy:  s.Clock.Now().Add(48 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
