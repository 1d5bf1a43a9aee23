package webtest

import (
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
)

// Contested makes a live payment of R$ 100 and, by staff, a dispute of it that is due in two days.
func (s *Site) Contested(t *testing.T, bankRef string) *models.Dispute {
	t.Helper()
	paid := s.Fund(t, models.Live, 100_00)
	var payment models.Payment
	if err := s.DB.WithContext(t.Context()).Take(&payment, "checkout_id = ?", paid.ID).Error; err != nil {
		t.Fatal(err)
	}
	d, err := s.OpenDispute(t.Context(), s.Staff(t), payments.NewDispute{BankRef: bankRef, Cause: "Golpe do Pix",
		PaymentID: payment.ID, AnswerBy: s.Clock.Now().Add(48 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
