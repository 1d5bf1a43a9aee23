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

// walkOps sees every page of the console.
func walkOps(t *testing.T, w *walk) {
	s := newSite(t)
	by := s.reviewer(t, "eva@example.com", models.StaffSupervisor)
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
	if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID, merchants.SwitchTurn{Switch: models.SwitchWithdrawalsBlocked, On: true, Reason: "Ordem judicial 123/2026."}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.BlockAmount(t.Context(), payments.Actor{UserID: by.UserID}, s.Account.ID, false, 50_00, "Disputa 77 em análise."); err != nil {
		t.Fatal(err)
	}
	if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID, merchants.SwitchTurn{Switch: models.SwitchWithdrawalsBlocked, On: false, Reason: "A ordem judicial foi revogada."}); err != nil {
		t.Fatal(err)
	}
	money := s.moneyToDecide(t)
	if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID, merchants.SwitchTurn{Switch: models.SwitchLiveBlocked, On: true, Reason: "Documentos da empresa a conferir."}); err != nil {
		t.Fatal(err)
	}
	endpoint, _ := s.Endpoint(t, "https://loja.example/pix/webhook")
	if err := s.Merchants.NoteAccount(t.Context(), by, s.Account.ID, "Liguei para a Ana: o contador manda o contrato amanhã."); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Merchants.SealAudit(t.Context()); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{
		"destination": money["destination"], "withdrawal": money["withdrawal"], "payout": money["payout"], "exception": money["exception"],
		"checkout": "/ops/cobrancas/" + checkout.ID, "destinations": "/ops/destinos", "withdrawals": "/ops/saques?aba=pagar", "exceptions": "/ops/excecoes?aba=teste",
		"queues": "/ops", "list": "/ops/acessos", "list-done": "/ops/acessos?aba=decididos", "access": "/ops/acessos/" + pending.ID,
		"access-done": "/ops/acessos/" + request.ID, "access-long": "/ops/acessos/" + asked.ID, "accounts": "/ops/contas",
		"account": "/ops/contas/" + s.Account.ID, "switch": "/ops/contas/" + s.Account.ID + "/travas/SUSPENDED",
		"switch-off": "/ops/contas/" + s.Account.ID + "/travas/LIVE_BLOCKED", "revoke": "/ops/contas/" + s.Account.ID + "/encerrar",
		"look-up": "/ops/cobrancas?amount=1249,90&from=2026-03-01&until=2026-03-03", "webhooks": "/ops/webhooks?aba=todos", "webhook": "/ops/webhooks/" + endpoint.ID,
		"operators": "/ops/operadores", "health": "/ops/saude", "audit": "/ops/auditoria", "audit-none": "/ops/auditoria?subject=member", "security": "/ops/seguranca", "find": "/ops/buscar?q=a", "find-none": "/ops/buscar?q=xyz",
	}
	page := w.open(t, s, "/entrar?next=/ops")
	s.enterConsole(t, page.Page, "eva@example.com")
	page.visits(paths)
	page.Goto(s.url + "/ops/acessos/" + pending.ID)
	page.Click("button[popovertarget=menu-ops]")
	page.WaitVisible("#menu-ops a[href='/ops/saude']")
	page.NoSidewaysScroll()
	page.Press("Escape")
	page.Click("input[value=RETURNED]")
	page.Type("#reason", "Qual é o prazo de entrega? Mande o endereço da loja.")
	page.fails("access-wrong")
	browsertest.Eval[bool](page.Page, `(document.getElementById("reasonCode").value = "INCOMPLETE", true)`)
	page.Click("main form button.btn-primary")
	page.WaitVisible("button[value=send]")
	page.look("preview")
}

// moneyToDecide makes things of money to decide about, and returns their pages.
func (s *site) moneyToDecide(t *testing.T) map[string]string {
	t.Helper()
	s.rich(t, 40_000_00)
	approved, waits := s.Withdraw(t, 1_234_56), s.Withdraw(t, 20_000_00)
	for _, w := range []*models.Withdrawal{approved, waits} {
		if _, err := s.ApproveWithdrawal(t.Context(), s.Staff(t), w.ID, w.Version); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.StartPayout(t.Context(), s.Staff(t), approved.ID); err != nil {
		t.Fatal(err)
	}
	dest, err := s.RequestDestination(t.Context(), s.Member(), s.Account.ID, payments.NewDestination{
		Rail: models.RailUSDT, Type: "TRON", Address: "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7", HolderName: "Ateliê Aurora Ltda",
	})
	if err != nil {
		t.Fatal(err)
	}
	twice := s.Checkout(t, payments.NewCheckout{Amount: 80_57}) // the amount that is paid twice in test
	if err := s.SimulatePayment(t.Context(), twice.ID); err != nil {
		t.Fatal(err)
	}
	var exception string
	if err := s.DB.Raw("SELECT payment_id FROM payment_exceptions").Row().Scan(&exception); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"destination": "/ops/destinos/" + dest.ID, "withdrawal": "/ops/saques/" + waits.ID, "payout": "/ops/saques/" + approved.ID, "exception": "/ops/excecoes/" + exception,
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
	if err := s.DB.Exec("UPDATE users SET email_verified_at = now() WHERE id = ?", m.UserID).Error; err != nil {
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
