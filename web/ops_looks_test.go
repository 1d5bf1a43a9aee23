package web_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
)

// Every page of the console, for every eye.
func TestOps_BrowserLooks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	by := s.reviewer(t, "eva@example.com", models.StaffSupervisor)
	for name := range looks {
		s.reviewer(t, name+"@example.com", models.StaffSupervisor)
	}
	pending := s.ask(t, "Padaria Sol", "padaria@example.com", "52998224725")
	s.Clock.Advance(26 * time.Hour)
	asked := s.ask(t, strings.Repeat("Clube da Cerâmica ", 11), "clube@example.com", "12ABC34501DE35")
	s.member(t).post("/app/producao/pedido", accessAnswers("send")...)
	request, err := models.LatestAccessRequest(s.DB.DB, s.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.decide(t, by, models.AccessRequestApproved)
	checkout := s.Checkout(t, payments.NewCheckout{Amount: 1249_90})
	if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(time.Minute)
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID, models.SwitchWithdrawalsBlocked, true, "Ordem judicial 123/2026."); err != nil {
		t.Fatal(err)
	}
	if _, err := s.BlockAmount(t.Context(), payments.Actor{UserID: by.UserID}, s.Account.ID, false, 50_00, "Disputa 77 em análise."); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{
		"queues": "/ops", "list": "/ops/acessos", "list-done": "/ops/acessos?aba=decididos", "access": "/ops/acessos/" + pending.ID,
		"access-done": "/ops/acessos/" + request.ID, "access-long": "/ops/acessos/" + asked.ID, "accounts": "/ops/contas",
		"account": "/ops/contas/" + s.Account.ID, "switch": "/ops/contas/" + s.Account.ID + "/travas/SUSPENDED",
		"switch-off": "/ops/contas/" + s.Account.ID + "/travas/WITHDRAWALS_BLOCKED", "revoke": "/ops/contas/" + s.Account.ID + "/encerrar",
		"audit": "/ops/auditoria", "audit-none": "/ops/auditoria?subject=member", "find": "/ops/buscar?q=a", "find-none": "/ops/buscar?q=xyz",
	}
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Open(t, s.url+"/entrar?next=/ops", look)
			s.enterConsole(t, page, name+"@example.com")
			for picture, path := range paths {
				page.Goto(s.url + path)
				see(page, "ops-"+picture+"-"+name)
			}
			page.Goto(s.url + "/ops/acessos/" + pending.ID)
			page.Click("input[value=RETURNED]")
			page.Type("#reason", "Qual é o prazo de entrega? Mande o endereço da loja.")
			page.AllowConsole("422")
			page.Click("main form button.btn-primary")
			page.WaitFocused("#errors")
			see(page, "ops-access-wrong-"+name)
			browsertest.Eval[bool](page, `(document.getElementById("reasonCode").value = "INCOMPLETE", true)`)
			page.Click("main form button.btn-primary")
			page.WaitVisible("button[value=send]")
			see(page, "ops-preview-"+name)
		})
	}
}

// enterConsole logs a new person of staff in, who sets up a code generator first.
func (s *site) enterConsole(t *testing.T, page *browsertest.Page, email string) {
	t.Helper()
	page.Type("#email", email)
	page.Type("#password", paymentstest.Password)
	page.Press("Enter")
	page.WaitVisible("#code")
	secret := browsertest.Eval[string](page, `document.getElementById("totp-secret").textContent.replaceAll(" ", "")`)
	page.Type("#code", s.code(secret))
	page.Press("Enter")
	page.WaitVisible("#recovery-codes")
	page.Click("main a.btn-primary")
	page.WaitTrue(`location.pathname == "/ops"`)
}

// ask signs up a merchant that asks for production access.
func (s *site) ask(t *testing.T, business, email, document string) *models.AccessRequest {
	t.Helper()
	m, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{Name: "Bia Melo", Business: business, Email: email, Password: paymentstest.Password, Verified: true}, "")
	if err != nil {
		t.Fatal(err)
	}
	request, err := s.Merchants.RequestAccess(t.Context(), merchants.Actor{UserID: m.UserID, AccountID: m.AccountID}, merchants.AccessForm{
		LegalName: business, Document: document, Sells: "Pães e bolos para a vizinhança, com entrega no mesmo dia.", MonthlyVolume: 12_000_00,
		ContactName: "Bia Melo", ContactEmail: email, ContactPhone: "(21) 98765-4321",
	})
	if err != nil {
		t.Fatal(err)
	}
	return request
}
