package web_test

import (
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// walkKeys sees keys with an end and with networks, how one is made, and how one is replaced.
func walkKeys(t *testing.T, w *walk) {
	s := webtest.New(t)
	soon, later := s.Clock.Now().Add(time.Hour), s.Clock.Now().AddDate(0, 6, 0)
	var id string
	for _, in := range []merchants.NewKey{
		{Name: "Servidor antigo", EndsAt: &soon},
		{Name: "Loja virtual, com o estoque e o caixa da rua de cima", EndsAt: &later,
			Networks: "203.0.113.0/24 198.51.100.7 2001:db8:1234:5678::/64"},
	} {
		in.Permissions = merchants.CheckoutIntegration
		key, _, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Gateway.Test, in)
		if err != nil {
			t.Fatal(err)
		}
		id = key.ID
	}
	if err := s.Merchants.SetKeySwitch(t.Context(), s.Owner, s.Gateway.Test, id, models.KeyRefunds, true); err != nil {
		t.Fatal(err)
	}
	s.Approve(t)
	live, _, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Gateway.Live,
		merchants.NewKey{Name: "Monitor", Permissions: []models.Permission{models.PermissionPaymentLinkRead}})
	if err == nil {
		err = s.Merchants.SetKeySwitch(t.Context(), s.Owner, s.Gateway.Live, live.ID, models.KeyAudit, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(2 * time.Hour)

	page := w.enter(t, s)
	page.visit("keys", "/app/chaves")
	page.visit("key-new", "/app/chaves/nova")
	page.Type("#networks", "203.0.113")
	page.fails("key-new-wrong")
	page.visit("key-roll", "/app/chaves/"+id+"/trocar")
	page.Type("#ends", "")
	page.Click("main form button.btn-primary")
	page.WaitVisible("#secret")
	page.look("key-rolled")
	page.visit("keys-rolled", "/app/chaves")
	page.visit("audit", "/app/auditoria?subject=api_key")
	modelstest.Exec(t, s.DB, "UPDATE sessions SET livemode = true")
	page.visit("keys-live", "/app/chaves")
	modelstest.Exec(t, s.DB, "UPDATE sessions SET livemode = false")

	s.GiveRole(t, models.RoleDeveloper)
	page.visit("keys-developer", "/app/chaves")
	page.refused("key-roll-role", "/app/chaves/"+id+"/trocar", 403)
}
