package web_test

import (
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// A member of finance adds a destination, which staff approve; then withdraws to it,
// after looking at everything, finds the withdrawal in the list and in the statement,
// thinks again, and has the money back.
func TestWithdrawal_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	s.GiveRole(t, models.RoleFinance)
	s.Fund(t, models.Live, 1_000_00)
	page := logInLive(t, s, browsertest.Options{})

	addsDestination(t, s, page)
	toSection(page, "/app/saldo")
	page.Click("Solicitar saque")
	page.WaitVisible("Usar tudo")
	page.Click("Usar tudo")
	page.WaitTrue(`document.getElementById("amount").value == "1.000,00"`)
	page.Click("Revisar saque")
	page.WaitVisible("input[name=garoupa_proof]") // a day has passed
	page.Type("input[name=garoupa_proof]", s.OwnerCode())
	page.Press("Enter")
	page.WaitVisible("529.982.247-25")
	page.WaitVisible("Depois de enviado, não dá para desfazer")
	page.Click("Alterar")
	page.WaitTrue(`document.getElementById("amount").value == "1.000,00"`)
	browsertest.Eval[bool](page, `(document.getElementById("amount").value = "", true)`)
	page.Type("#amount", "250")
	page.Press("Enter") // reviews what was typed; it does not press the first button that is seen, "Usar tudo"
	page.Click("Confirmar saque de R$ 250,00")
	page.WaitText("h1", "Saque solicitado")
	page.Axe()
	page.Reload() // makes no second one
	page.WaitText("h1", "Saque solicitado")

	page.Click("Acompanhar saque")
	followed := page.URL()
	toSection(page, "/app/saldo")
	page.WaitVisible("Reservado para saque")
	page.WaitVisible("Disponível: R$ 750,00")
	toSection(page, "/app/saques")
	page.Click("main nav a[href*='status=review']")
	page.WaitVisible("R$ 250,00")
	page.Click("main a[href^='/app/saques/wdr_']")
	if page.URL() != followed {
		t.Errorf("the list leads to %s, the receipt of the request to %s", page.URL(), followed)
	}
	page.Click("Cancelar saque")
	page.WaitVisible("Cancelar este saque?")
	page.Axe()
	page.Click("#cancel .btn-danger")
	page.WaitVisible("Saque cancelado. O valor voltou para o saldo disponível.")
	toSection(page, "/app/saldo")
	page.WaitVisible("Estorno da reserva de saque")
	page.WaitVisible("Disponível: R$ 1.000,00")
	if n := modelstest.One[int](t, s.DB, "SELECT count(*) FROM withdrawals"); n != 1 {
		t.Errorf("%d withdrawals", n)
	}
}

// addsDestination adds the Pix key that withdrawals go to, at the second try; staff
// approve it, and its hold passes.
func addsDestination(t *testing.T, s *webtest.Site, page *browsertest.Page) {
	t.Helper()
	toSection(page, "/app/saldo")
	page.Click("Solicitar saque")
	page.WaitVisible("Cadastre a chave Pix ou a carteira que recebe os saques.")
	page.Click("Cadastrar destino")
	page.WaitVisible("Cadastre para onde vão seus saques")
	page.Click("Cadastrar destino")
	page.AllowConsole("422")
	page.Type("#address", "529.982.247-24")
	page.Type("#holderName", "Ana Lima")
	page.Click("Enviar para análise")
	page.WaitFocused("#errors")
	page.WaitVisible("#address-error")
	browsertest.Eval[bool](page, `(document.getElementById("address").value = "", true)`)
	page.Type("#address", "529.982.247-25")
	page.Click("Enviar para análise")
	page.WaitVisible("***.982.247-**")
	page.WaitVisible("Em análise")

	all, err := models.Destinations(t.Context(), s.DB.Pool, models.DestinationFilter{AccountID: s.Account.ID, Limit: 1})
	if err == nil {
		err = s.ApproveDestination(t.Context(), s.Staff(t), all[0].ID, all[0].Version)
	}
	if err != nil {
		t.Fatal(err)
	}
	page.Reload()
	page.WaitVisible("Aprovado, em espera")
	s.Clock.Advance(paymentstest.Policy.Hold)
}

// logIn opens the dashboard as the owner.
func logIn(t *testing.T, s *webtest.Site, look browsertest.Options) *browsertest.Page {
	t.Helper()
	page := browsertest.Open(t, s.URL+"/entrar", look)
	page.Type("#email", s.Email)
	page.Type("#password", paymentstest.Password)
	page.Press("Enter")
	page.WaitTrue(`location.pathname == "/app"`)
	return page
}

// logInLive opens the dashboard as the owner, in live.
func logInLive(t *testing.T, s *webtest.Site, look browsertest.Options) *browsertest.Page {
	t.Helper()
	c := s.Member(t)
	s.ToLive(t, c)
	look.Cookies = c.Cookies()
	return browsertest.Open(t, s.URL+"/app", look)
}
