package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/banks"
	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/pix/psp/bank/control"
	"garoupa/web"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// A supervisor enters an account at a bank, first with a certificate that lacks its key, and cannot approve
// it alone. Another supervisor does, on a phone; the bank is asked, and the account is active.
func TestBankAccount_Journey(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Clock.Advance(time.Since(s.Clock.Now())) // the bank's certificates are valid now
	bank := banktest.Serve(t, "generic")
	rui := supervisorAt(t, s, "rui@staff.example", browsertest.Options{Viewport: browsertest.Desktop})
	entersBank(rui, bankstest.Account(t, bank))
	rui.AllowConsole("422")
	choosesFile(t, rui, bank, "certificate", "client.crt")
	rui.Click("main form button.btn-primary")
	rui.WaitFocused("#errors")
	rui.WaitVisible("#certificate-error")

	rui.Type("#clientSecret", bank.Folder.Account.ClientSecret)
	choosesFile(t, rui, bank, "certificate", "client.crt")
	choosesFile(t, rui, bank, "privateKey", "client.key")
	rui.Click("main form button.btn-primary")
	rui.WaitText("h1", "Conta principal")
	rui.WaitVisible("#card-approve")
	rui.WaitGone("form[action$='/aprovar']")
	rui.Axe()

	eva := supervisorAt(t, s, "eva@staff.example", browsertest.Options{})
	eva.Goto(s.URL + "/ops/bancos")
	eva.Click("main a[href^='/ops/bancos/bnk_']")
	eva.Click("form[action$='/verificar'] button")
	eva.WaitVisible("#card-findings")
	eva.Click("form[action$='/aprovar'] button")
	eva.WaitGone("#card-approve")
	eva.NoSidewaysScroll()
	eva.Axe()
	if n := modelstest.One[int](t, s.DB, "SELECT count(*) FROM bank_accounts WHERE status = 'ACTIVE'"); n != 1 {
		t.Errorf("%d accounts are active", n)
	}
}

// supervisorAt is a new supervisor at the console.
func supervisorAt(t *testing.T, s *webtest.Site, email string, look browsertest.Options) *browsertest.Page {
	t.Helper()
	s.AddStaff(t, email, models.StaffSupervisor)
	page := browsertest.Open(t, s.URL+"/entrar?next=/ops", look)
	enterConsole(t, s, page, email)
	return page
}

// entersBank fills in the form of a new account at a bank, except its files.
func entersBank(page *browsertest.Page, in banks.NewAccount) {
	page.Click("nav a[href='/ops/bancos']")
	page.Click("main a[href='/ops/bancos/nova']")
	page.Type("#name", in.Name)
	page.Type("#pixKey", in.PixKey)
	page.Type("#accountNumber", in.AccountNumber)
	page.Type("#holderName", in.HolderName)
	page.Type("#holderDocument", in.HolderDocument)
	page.Type("#clientId", in.Credential.ClientID)
	page.Type("#clientSecret", in.Credential.ClientSecret)
	browsertest.Eval[bool](page, fmt.Sprintf(`(() => {
		const field = document.getElementById("overrides");
		field.closest("details")?.setAttribute("open", "");
		field.value = %q;
		return true;
	})()`, in.Overrides))
}

// choosesFile chooses a file of the bank's folder for a field.
func choosesFile(t *testing.T, page *browsertest.Page, bank *banktest.Bank, field, name string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(bank.Folder.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	browsertest.Eval[bool](page, fmt.Sprintf(`(() => {
		const kept = new DataTransfer(), field = document.getElementById(%q);
		kept.items.add(new File([%q], %q, {type: "application/x-pem-file"}));
		field.files = kept.files;
		field.dispatchEvent(new Event("change", {bubbles: true}));
		return true;
	})()`, field, content, name))
}

// A merchant gives a part of a live charge back: the page says that the bank was asked, and then that the
// buyer has the money.
func TestRefund_Journey(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Gateway.Clock.Advance(time.Since(h.Gateway.Clock.Now()))
	s := webtest.Serve(t, h.Gateway, func(o *web.Options) { o.Now = h.Bank.Clock.Now }, func(*api.Options) {})
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)

	page := logInLive(t, s, browsertest.Options{})
	page.Goto(s.URL + "/app/cobrancas/" + c.ID)
	page.Click("main a[href$='/devolver']")
	if page.Value("#amount") != "100,00" {
		t.Errorf("the form proposes %s", page.Value("#amount"))
	}
	page.Axe()
	page.AllowConsole("422")
	page.Type("#amount", "100,01")
	page.Click("main form button.btn-primary")
	page.WaitFocused("#errors")
	page.Type("#amount", "30,00")
	page.Type("#reason", "Veio trocado")
	page.Click("main form button.btn-primary")
	page.WaitVisible("Devolução solicitada ao banco")
	page.NoSidewaysScroll()
	page.Axe()
	for n := 0; n == 0; n = modelstest.One[int](t, s.DB, "SELECT count(*) FROM refunds WHERE status = 'COMPLETED'") {
		h.Later(time.Minute)
		h.Tend(t)
	}
	modelstest.Exec(t, s.DB, "UPDATE sessions SET proven_at = $1", h.Bank.Clock.Now()) // the bank may take long
	page.Reload()
	page.WaitVisible("Devolvido")
	page.Click("main a[href$='/devolver']")
	if page.Value("#amount") != "70,00" {
		t.Errorf("the form proposes %s of what is left", page.Value("#amount"))
	}
	if got := modelstest.One[int64](t, s.DB, "SELECT sum(amount) FROM refunds"); got != 30_00 {
		t.Errorf("%d centavos are refunded", got)
	}
}

// While the bank is down the page that a buyer has open says not to pay again, and once the bank has told of
// the payment the page says so, without a reload.
func TestPayBankDown_Journey(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	s := webtest.Serve(t, h.Gateway, func(o *web.Options) { o.Now = h.Bank.Clock.Now }, func(*api.Options) {})
	c := h.Charge(t, payments.NewCheckout{Amount: 49_90})
	h.Sweep(t)
	buyer := browsertest.Open(t, s.URL+"/pay/"+c.ID, browsertest.Options{})
	buyer.WaitText("h1", "Pagar com Pix: R$ 49,90")
	h.Fault(t, control.Fault{Name: "reset"})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Later(3 * time.Minute)
	buyer.Reload()
	buyer.WaitVisible("Já pagou? A confirmação do banco está demorando. Não pague de novo: esta página avisa quando " +
		"chegar.")
	buyer.NoSidewaysScroll()
	buyer.Axe()
	h.Heal(t)
	h.Later(time.Minute) // the breaker tries again
	h.Sweep(t)
	buyer.WaitText("h1", "Pagamento confirmado")
}
