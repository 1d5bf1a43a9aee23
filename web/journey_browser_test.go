package web_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// The whole way of money, by the hands of each person: a merchant signs up and asks for
// live access, staff approve; a live charge is paid and settles; a destination is
// approved; the shop's server asks for a withdrawal, two people approve it, and it is
// paid. In the end balance, statement, settlement and audit log agree to the centavo.
func TestMoney_Journey(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Gateway.Service.Live = s.Simulator // a demonstration, where nothing moves
	shop := browsertest.Open(t, s.URL+"/cadastro", browsertest.Options{Viewport: browsertest.Desktop})
	account := signsUp(t, s, shop)
	asksForAccess(t, s, shop)
	eva := atConsole(t, s, "eva@staff.example")
	approves(t, s, eva, "acessos")

	toSection(shop, "/app/producao")
	shop.WaitVisible("button[name=env][value=live]")
	shop.Click("main button[value=live]")
	key := makesKey(s, shop)
	toSection(shop, "/app/saques")
	shop.Click("main a[href='/app/saques/destinos']")
	shop.Click("main a[href='/app/saques/destinos/novo']")
	shop.Type("#address", "12.ABC.345/01DE-35") // of the kind that the account's document is
	shop.Type("#holderName", "Bia Melo")
	shop.Click("Enviar para análise")
	shop.WaitVisible("Em análise")
	approves(t, s, eva, "destinos")
	s.Clock.Advance(paymentstest.Policy.Hold)

	status, checkout := s.Call(t, key, http.MethodPost, "/v1/checkouts",
		`{"amount": 2000000, "description": "Encomenda", "externalId": "pedido-1"}`)
	if status != http.StatusCreated || checkout["livemode"] != true {
		t.Fatalf("a live charge: %d %v", status, checkout)
	}
	id := checkout["id"].(string)
	if err := s.SimulatePayment(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(paymentstest.SettlementDelay)
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectSettlement(t, s, key, id, "AVAILABLE")

	status, withdrawal := s.Call(t, key, http.MethodPost, "/v1/withdrawals",
		`{"rail": "BRL_PIX", "amount": "19802.00"}`)
	if status != http.StatusCreated || withdrawal["status"] != "PENDING_REVIEW" {
		t.Fatalf("a withdrawal: %d %v", status, withdrawal)
	}
	for _, email := range []string{"rui@staff.example",
		"lia@staff.example"} { // a day later, and above the four-eyes amount
		approves(t, s, atConsole(t, s, email), "saques")
	}
	for range 2 { // sent, then arrived
		s.Clock.Advance(5 * time.Second)
		if err := s.PayOutDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.CoverDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	allAgree(t, s, shop, account, key, id, withdrawal["id"].(string))
}

// atConsole is a new person of staff at the console.
func atConsole(t *testing.T, s *webtest.Site, email string) *browsertest.Page {
	t.Helper()
	s.AddStaff(t, email, models.StaffReviewer)
	page := browsertest.Open(t, s.URL+"/entrar?next=/ops", browsertest.Options{})
	enterConsole(t, s, page, email)
	return page
}

// signsUp makes the merchant's account and proves its address by the link in the mail.
func signsUp(t *testing.T, s *webtest.Site, page *browsertest.Page) (accountID string) {
	t.Helper()
	page.Type("#name", "Bia Melo")
	page.Type("#business", "Padaria Sol")
	page.Type("#email", "bia@example.com")
	page.Type("#password", paymentstest.Password)
	page.Press("Enter")
	page.WaitText("h1", "Confirme seu e-mail")
	page.Goto(s.URL + "/verificar-email?token=" + s.Link(t, models.MailVerifyEmail, "bia@example.com"))
	page.Click("main form button.btn-primary")
	page.WaitTrue(`!document.querySelector("main input[name=token]")`)
	if err := s.DB.Pool.QueryRow(t.Context(),
		"SELECT id FROM accounts WHERE name = 'Padaria Sol'").Scan(&accountID); err != nil {
		t.Fatal(err)
	}
	return accountID
}

func asksForAccess(t *testing.T, s *webtest.Site, page *browsertest.Page) {
	t.Helper()
	toSection(page, "/app/producao")
	page.Click("main a[href='/app/producao/pedido']")
	answers := webtest.AccessAnswers("")
	for i := 0; i < len(answers)-2; i += 2 {
		browsertest.Eval[bool](page, `(document.getElementById("`+answers[i]+`").value = "", true)`)
		page.Type("#"+answers[i], answers[i+1])
	}
	page.Click("button[value=check]")
	page.Click("button[value=send]")
	page.WaitVisible("Em análise")
}

// makesKey makes a live key that may withdraw, for which the member sets up a code generator first, and
// returns its secret.
func makesKey(s *webtest.Site, page *browsertest.Page) string {
	toSection(page, "/app/chaves")
	page.Click("main a[href='/app/chaves/nova']")
	setsUp(s, page)
	page.WaitVisible("#name")
	page.Type("#name", "Loja")
	for _, permission := range []models.Permission{models.PermissionWithdrawalCreate, models.PermissionWithdrawalRead} {
		page.Click("input[value='" + string(permission) + "']")
	}
	page.Click("main form button.btn-primary")
	return secretOn(page, "svc_live_")
}

// approves opens what waits in a queue of the console, looks at what an approval will
// do, and gives it.
func approves(t *testing.T, s *webtest.Site, page *browsertest.Page, queue string) {
	t.Helper()
	page.Click("header a[href='/ops']")
	page.Click("main a[href^='/ops/" + queue + "/']")
	page.WaitVisible("Padaria Sol")
	page.Click("input[name=outcome][value^=APPROVE]")
	page.Click("main form button.btn-primary")
	page.Click("button[value=send]")
	page.WaitTrue(`!document.querySelector("button[value=send]")`)
}

func expectSettlement(t *testing.T, s *webtest.Site, key, checkoutID, want string) {
	t.Helper()
	_, checkout := s.Call(t, key, http.MethodGet, "/v1/checkouts/"+checkoutID, "")
	settlement, _ := checkout["settlement"].(map[string]any)
	if settlement["status"] != want || settlement["amount"] != "19802.00" {
		t.Errorf("the settlement is %v, want %s of 19802.00", settlement, want)
	}
}

// allAgree compares what the API, the pages, the books and the audit log say in the end.
func allAgree(t *testing.T, s *webtest.Site, page *browsertest.Page, accountID, key, checkoutID, withdrawalID string) {
	t.Helper()
	_, withdrawal := s.Call(t, key, http.MethodGet, "/v1/withdrawals/"+withdrawalID, "")
	if withdrawal["status"] != "COMPLETED" || withdrawal["netAmount"] != "19802.00" || withdrawal["endToEndId"] == nil {
		t.Errorf("the withdrawal is %v", withdrawal)
	}
	expectSettlement(t, s, key, checkoutID, "COMPLETED")
	_, balance := s.Call(t, key, http.MethodGet, "/v1/balance", "")
	for name, want := range map[string]string{
		"grossAmount": "20000.00", "feeAmount": "198.00", "pendingAmount": "0.00", "availableAmount": "0.00",
		"reservedAmount": "0.00", "blockedAmount": "0.00",
	} {
		if balance[name] != want {
			t.Errorf("%s is %v, want %s", name, balance[name], want)
		}
	}
	if drift, err := ledger.Check(t.Context(), s.DB.Pool); err != nil || len(drift) != 0 {
		t.Errorf("the books: %v, %v", drift, err)
	}

	toSection(page, "/app/saldo")
	for _, amount := range []string{"20.000,00", "198,00", "19.802,00"} {
		page.WaitVisible("R$ " + amount)
	}
	toSection(page, "/app/saques")
	page.Click("main a[href='/app/saques/" + withdrawalID + "']")
	page.WaitTrue(`document.querySelector("#proof").value == "` + withdrawal["endToEndId"].(string) + `"`)
	toSection(page, "/app/auditoria")
	page.WaitText("h1", page.Text("h1"))
	actions := modelstest.Column[string](t, s.DB, "SELECT action FROM audit_log WHERE account_id = $1 ORDER BY id",
		accountID)
	for _, action := range []string{"destination.approved", "withdrawal.requested", "withdrawal.first_approved",
		"withdrawal.approved", "withdrawal.completed"} {
		if !slices.Contains(actions, action) {
			t.Errorf("the audit log has no %s: %v", action, actions)
		}
	}
}
