package web_test

import (
	"net/http"
	"strings"
	"testing"
)

// gone takes tables away.
func (s *site) gone(t *testing.T, tables ...string) {
	t.Helper()
	for _, table := range tables {
		if err := s.DB.Exec("ALTER TABLE " + table + " RENAME TO gone_" + table).Error; err != nil {
			t.Fatal(err)
		}
	}
}

// lacking reports whether a page stands and says that the parts could not be read.
func (c *client) lacking(path string, parts ...string) answer {
	c.t.Helper()
	a := c.get(path)
	for _, part := range parts {
		if a.status != http.StatusOK || !strings.Contains(a.Text(), "Não conseguimos carregar "+part+".") || a.Find(`main a[href="`+path+`"]`).Length() == 0 {
			c.t.Errorf("%s says not that %s is missing, or offers no further try: %d", path, part, a.status)
		}
	}
	return a
}

// What cannot be read of the money and of deliveries is never zero, and never empty.
func TestParts_MoneyAndDeliveries(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	s.Fund(t, false, 49_90)
	if _, err := s.BlockAmount(t.Context(), s.Staff(t), s.Account.ID, false, 1_00, "Contestação."); err != nil {
		t.Fatal(err)
	}
	c := s.member(t)
	s.gone(t, "blocked_amounts", "webhook_deliveries")
	if a := c.lacking("/app/saldo", "o motivo dos bloqueios"); !strings.Contains(a.Text(), "R$\u00a049,90") || !strings.Contains(a.Text(), "Pagamento recebido") {
		t.Error("the rest of the balance does not stand")
	}
	for path, parts := range map[string][]string{"/app/webhooks": {"as entregas"}, "/app/webhooks/" + e.ID: {"os últimos dias", "as entregas"}} {
		if a := c.lacking(path, parts...); !strings.Contains(a.Text(), e.URL) || strings.Contains(a.Text(), "Nenhuma entrega") {
			t.Errorf("%s: %s", path, a.Find("main").Text())
		}
	}
	s.gone(t, "ledger_transfers")
	if a := c.lacking("/app/saldo", "o saldo", "o extrato"); strings.Contains(a.Text(), "R$\u00a00,00") || strings.Contains(a.Text(), "Nenhuma movimentação") {
		t.Errorf("it shows what it could not read: %s", a.Find("main").Text())
	}
}
