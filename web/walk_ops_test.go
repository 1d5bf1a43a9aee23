package web_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// walkOps sees every page of the console.
func walkOps(t *testing.T, w *walk) {
	s := webtest.New(t)
	by := s.AddStaff(t, "eva@example.com", models.StaffSupervisor)
	pending := s.AskForAccess(t, "Padaria Sol", "padaria@example.com", "52998224725")
	paths, fees := consolePaths(t, s, by, pending)
	page := w.open(t, s, "/entrar?next=/ops")
	enterConsole(t, s, page.Page, "eva@example.com")
	page.visits(paths)
	page.Goto(s.URL + fees)
	page.Click("input[value=APPROVE]")
	page.Click("main form button.btn-primary")
	page.WaitVisible("button[value=send]")
	page.look("fee-preview")
	page.Goto(s.URL + paths["withdrawal"])
	page.Click("input[value=REJECT]")
	page.Type("#reason", "O titular da chave não é o da empresa.")
	browsertest.Eval[bool](page.Page, `(document.getElementById("reasonCode").value = "HOLDER_MISMATCH", true)`)
	page.Click("main form button.btn-primary")
	page.WaitVisible("button[value=send]")
	page.look("withdrawal-preview")
	page.Goto(s.URL + "/ops/contas/" + s.Account.ID + "/tarifa")
	page.Type("#withdrawalPercent", "x")
	page.Click("main form button.btn-primary")
	page.fails("fee-wrong")
	page.Goto(s.URL + "/ops/motivos")
	page.Type("#text", "Curto.")
	page.failsBy("reasons-wrong", "main form[action='/ops/motivos'] button")
	page.Goto(s.URL + "/ops/contas/" + s.Account.ID + "/limites")
	page.Click("main form button.btn-primary")
	page.fails("limits-wrong")
	page.Goto(s.URL + "/ops/acessos/" + pending.ID)
	page.Click("button[popovertarget=menu-ops]")
	page.WaitVisible("#menu-ops a[href='/ops/saude']")
	page.NoSidewaysScroll()
	page.Press("Escape")
	page.Click("input[value=RETURNED]")
	page.Click("main form details summary")
	page.Click("input[name=saved]")
	page.WaitTrue(`document.getElementById("reason").value == "Faltou o contrato social da empresa."`)
	page.Type("#reason", "Qual é o prazo de entrega? Mande o endereço da loja.")
	page.fails("access-wrong")
	browsertest.Eval[bool](page.Page, `(document.getElementById("reasonCode").value = "INCOMPLETE", true)`)
	page.Click("main form button.btn-primary")
	page.WaitVisible("button[value=send]")
	page.look("preview")
}

// consolePaths makes something for every page of the console to show, and returns the
// paths of the pages by the name of their picture, and the path of a fee proposal.
func consolePaths(
	t *testing.T, s *webtest.Site, by models.Actor, pending *models.AccessRequest,
) (paths map[string]string, feeProposal string) {
	t.Helper()
	s.Clock.Advance(26 * time.Hour)
	asked := s.AskForAccess(t, strings.Repeat("Clube da Cerâmica ", 11), "clube@example.com", "12ABC34501DE35")
	s.Member(t).Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	request, err := models.LatestAccessRequest(t.Context(), s.DB, s.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.DecideAccess(t, by, models.AccessRequestApproved)
	checkout := settledCheckout(t, s)
	decidable := heldMoney(t, s, by)
	endpoint, _ := s.Endpoint(t, "https://loja.example/pix/webhook")
	if err := s.Merchants.NoteAccount(t.Context(), by, merchants.NewNote{
		AccountID: s.Account.ID, Text: "Liguei para a Ana: o contador manda o contrato amanhã.",
	}); err != nil {
		t.Fatal(err)
	}
	for _, reason := range []string{"Faltou o contrato social da empresa.",
		strings.Repeat("O endereço da loja não confere com o do CNPJ. ", 10)} {
		if err := s.Merchants.SaveReason(t.Context(), by, models.ReasonAccess, reason); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Merchants.SealAudit(t.Context()); err != nil {
		t.Fatal(err)
	}
	feeProposal = "/ops/tarifas/" + termsToDecide(t, s, by, pending.AccountID)
	account := "/ops/contas/" + s.Account.ID
	paths = map[string]string{
		"fee": account + "/tarifa", "limits": account + "/limites",
		"fees": "/ops/tarifas", "fees-done": "/ops/tarifas?tab=decided",
		"names": "/ops/nomes", "name": "/ops/nomes/" + s.NewName(t),
		"fee-proposal": feeProposal, "account-terms": "/ops/contas/" + pending.AccountID,
		"checkout": "/ops/cobrancas/" + checkout.ID, "destinations": "/ops/destinos",
		"withdrawals": "/ops/saques?tab=payout", "exceptions": "/ops/excecoes?tab=test",
		"queues": "/ops", "list": "/ops/acessos", "list-done": "/ops/acessos?tab=decided",
		"access": "/ops/acessos/" + pending.ID, "access-done": "/ops/acessos/" + request.ID,
		"access-long": "/ops/acessos/" + asked.ID, "accounts": "/ops/contas",
		"account": account, "switch": account + "/travas/SUSPENDED",
		"switch-off": account + "/travas/LIVE_BLOCKED", "revoke": account + "/encerrar",
		"look-up":  "/ops/cobrancas?amount=1249,90&from=2026-03-01&until=2026-03-03",
		"webhooks": "/ops/webhooks?tab=all", "webhook": "/ops/webhooks/" + endpoint.ID,
		"reasons": "/ops/motivos", "reasons-none": "/ops/motivos?kind=fee",
		"operators": "/ops/operadores", "health": "/ops/saude",
		"audit": "/ops/auditoria", "audit-none": "/ops/auditoria?subject=member", "security": "/ops/seguranca",
		"find": "/ops/buscar?q=a", "find-none": "/ops/buscar?q=xyz",
	}
	maps.Copy(paths, decidable)
	return paths, feeProposal
}

// settledCheckout makes a checkout that is paid and settled.
func settledCheckout(t *testing.T, s *webtest.Site) *models.Checkout {
	t.Helper()
	checkout := s.Checkout(t, payments.NewCheckout{Amount: 1249_90})
	if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(time.Minute)
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	return checkout
}

// heldMoney turns switches of the account on and off, blocks an amount, and returns the
// pages of the money that staff can decide about.
func heldMoney(t *testing.T, s *webtest.Site, by models.Actor) map[string]string {
	t.Helper()
	turn := func(name models.Switch, on bool, reason string) {
		t.Helper()
		if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID,
			merchants.SwitchTurn{Switch: name, On: on, Reason: reason}); err != nil {
			t.Fatal(err)
		}
	}
	turn(models.SwitchWithdrawalsBlocked, true, "Ordem judicial 123/2026.")
	if _, err := s.BlockAmount(t.Context(), models.Actor{UserID: by.UserID}, payments.NewBlock{
		AccountID: s.Account.ID, Environment: models.Test, Amount: 50_00, Reason: "Disputa 77 em análise.",
	}); err != nil {
		t.Fatal(err)
	}
	turn(models.SwitchWithdrawalsBlocked, false, "A ordem judicial foi revogada.")
	decidable := moneyToDecide(t, s)
	turn(models.SwitchLiveBlocked, true, "Documentos da empresa a conferir.")
	return decidable
}

// termsToDecide gives the merchant terms of its own, and makes a proposal for another
// account, whose id it returns.
func termsToDecide(t *testing.T, s *webtest.Site, by models.Actor, accountID string) (proposal string) {
	t.Helper()
	other := s.AddStaff(t, "rui@example.com", models.StaffReviewer)
	fees := merchants.NewFeeProposal{Fee: &money.Fee{BasisPoints: 149, Fixed: 10},
		WithdrawalFee: &money.Fee{BasisPoints: 25, Fixed: 1_50}, Reason: webtest.TermsReason}
	own, err := s.Merchants.ProposeFee(t.Context(), other, s.Account.ID, fees)
	if err == nil {
		err = s.Merchants.ApproveFee(t.Context(), by, own)
	}
	if err == nil {
		most := money.Cents(5_000_000_00)
		err = s.Merchants.SetLimits(t.Context(), by, s.Account.ID, merchants.NewLimits{
			Limits: models.Limits{MaxAmount: &most}, Reason: webtest.TermsReason,
			Told: merchants.ToldLimits{
				MinAmount: 1, MaxAmount: most, SettlementDelay: 24 * time.Hour, DestinationHold: 24 * time.Hour,
			},
		})
	}
	if err == nil {
		proposal, err = s.Merchants.ProposeFee(t.Context(), other, accountID, fees)
	}
	if err != nil {
		t.Fatal(err)
	}
	return proposal
}

// moneyToDecide makes things of money to decide about, and returns their pages.
func moneyToDecide(t *testing.T, s *webtest.Site) map[string]string {
	t.Helper()
	s.FundLive(t, 40_000_00)
	approved, waits := s.Withdraw(t, 1_234_56), s.Withdraw(t, 20_000_00)
	for _, w := range []*models.Withdrawal{approved, waits} {
		if _, err := s.ApproveWithdrawal(t.Context(), s.Staff(t), w.ID, w.Version); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.StartPayout(t.Context(), s.Staff(t), approved.ID, s.Version(t, approved.ID)); err != nil {
		t.Fatal(err)
	}
	dest, err := s.RequestDestination(t.Context(), s.Owner, s.Account.ID, payments.NewDestination{
		Rail: models.RailUSDT, Type: "TRON", Address: "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7",
		HolderName: "Ateliê Aurora Ltda",
	})
	if err != nil {
		t.Fatal(err)
	}
	twice := s.Checkout(t, payments.NewCheckout{Amount: 80_57}) // the amount that is paid twice in test
	if err := s.SimulatePayment(t.Context(), twice.ID); err != nil {
		t.Fatal(err)
	}
	var exception string
	if err := s.DB.Pool.QueryRow(t.Context(),
		"SELECT payment_id FROM payment_exceptions").Scan(&exception); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"destination": "/ops/destinos/" + dest.ID, "withdrawal": "/ops/saques/" + waits.ID,
		"payout": "/ops/saques/" + approved.ID, "exception": "/ops/excecoes/" + exception,
	}
}

// enterConsole logs a new person of staff in, who sets up a code generator first.
func enterConsole(t *testing.T, s *webtest.Site, page *browsertest.Page, email string) {
	t.Helper()
	page.Type("#email", email)
	page.Type("#password", paymentstest.Password)
	page.Press("Enter")
	setsUp(s, page)
	page.WaitTrue(`location.pathname == "/ops"`)
}

// setsUp sets a code generator up on the page that asks for one, and goes on.
func setsUp(s *webtest.Site, page *browsertest.Page) {
	page.WaitVisible("#code")
	secret := browsertest.Eval[string](page, `document.getElementById("totp-secret").textContent.replaceAll(" ", "")`)
	page.Type("#code", s.Code(secret))
	page.Press("Enter")
	page.WaitVisible("#recovery-codes")
	page.Click("main a.btn-primary")
}
