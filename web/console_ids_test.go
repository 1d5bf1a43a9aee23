package web_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// Every id on a page of the console leads to the page of its object, except for the page's own.
func TestConsole_IDsLead(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	by := s.AddStaff(t, "eva@example.com", models.StaffSupervisor)
	pending := s.AskForAccess(t, "Padaria Sol", "padaria@example.com", "52998224725")
	paths, _ := consolePaths(t, s, by, pending)
	paid := s.Fund(t, models.Live, 100_00)
	payment := modelstest.One[string](t, s.DB, "SELECT id FROM payments WHERE checkout_id = $1", paid.ID)
	if _, err := s.RefundPayment(t.Context(), by, payments.NewRefund{PaymentID: payment, Amount: 10_00,
		Reason: paymentstest.Reason}); err != nil {
		t.Fatal(err)
	}
	d, err := s.OpenDispute(t.Context(), by, payments.NewDispute{BankRef: "MED-1", Cause: "Golpe", Amount: 60_00,
		PaymentID: payment, AnswerBy: s.Clock.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := s.Console(t, models.StaffSupervisor)
	for _, id := range []string{d.ID, payment, s.Account.ID, by.UserID, s.Owner.UserID} {
		paths["find-"+id] = "/ops/buscar?q=" + id
	}
	paths["dispute"], paths["disputes"] = "/ops/disputas/"+d.ID, "/ops/disputas"
	paths["refunded"], paths["withdrawals-all"] = "/ops/cobrancas/"+paid.ID, "/ops/saques?tab=all"
	lead := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		page := c.Get(paths[name])
		if page.Status == http.StatusSeeOther {
			continue
		}
		if page.Status != http.StatusOK {
			t.Errorf("%s: %d", paths[name], page.Status)
		}
		if ids := webtest.IDsWithoutLink(page, paths[name]); len(ids) > 0 {
			t.Errorf("%s has ids that are no links: %v", paths[name], ids)
		}
		for _, href := range webtest.IDLinks(page) {
			lead[href] = true
		}
	}
	if len(lead) < 10 {
		t.Errorf("ids lead only to %v", lead)
	}
	for href := range lead {
		if a := c.Get(href); a.Status >= http.StatusBadRequest {
			t.Errorf("%s is %d", href, a.Status)
		}
	}
}
