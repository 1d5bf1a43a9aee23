package dashboard_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"garoupa/api"
	"garoupa/banks"
	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/pix/psp/bank/control"
	"garoupa/web"
	"garoupa/web/webtest"
)

// ownHouse is a gateway at a bank, with its site and the owner, who looks at live.
type ownHouse struct {
	*bankstest.House
	site  *webtest.Site
	owner *webtest.Client
}

func newOwnHouse(t *testing.T) *ownHouse {
	t.Helper()
	h := &ownHouse{House: bankstest.New(t)}
	h.site = webtest.Serve(t, h.Gateway, func(o *web.Options) { o.Now, o.Banks = h.House.Bank.Clock.Now, h.Banks },
		func(*api.Options) {})
	h.enter(t)
	return h
}

// enter logs the owner in at the time of the bank.
func (h *ownHouse) enter(t *testing.T) {
	t.Helper()
	h.site.Clock.Advance(h.House.Bank.Clock.Now().Sub(h.site.Clock.Now()))
	h.owner = h.site.Member(t)
	h.site.ToLive(t, h.owner)
}

// send sends the form of an account at a bank, without what is left out, and checks that no secret comes back.
func (h *ownHouse) send(t *testing.T, path string, in banks.NewAccount, without ...string) webtest.Answer {
	t.Helper()
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	fields := map[string]string{"name": in.Name, "profile": in.Profile, "pixKey": in.PixKey,
		"holderName": in.HolderName, "overrides": in.Overrides, "clientId": in.Credential.ClientID,
		"clientSecret": in.Credential.ClientSecret}
	for _, name := range without {
		delete(fields, name)
	}
	for name, value := range fields {
		if err := parts.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string][]byte{"certificate": in.Credential.Files.Certificate,
		"privateKey": in.Credential.Files.Key} {
		part, err := parts.CreateFormFile(name, name+".pem")
		if err == nil {
			_, err = part.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := parts.Close(); err != nil {
		t.Fatal(err)
	}
	a := h.owner.Send(http.MethodPost, path, parts.FormDataContentType(), &body)
	for _, secret := range []string{in.Credential.ClientSecret, "PRIVATE KEY"} {
		if strings.Contains(a.Body, secret) {
			t.Errorf("a page has a secret: %d", a.Status)
		}
	}
	return a
}

// press presses a button of the page, by its form's action.
func (h *ownHouse) press(t *testing.T, action string) webtest.Answer {
	t.Helper()
	form := h.owner.Get("/app/conta-bancaria").Find(`main form[action="` + action + `"]`)
	if form.Length() != 1 {
		t.Fatalf("no form %s", action)
	}
	field := form.Find("input[name=credential], input[name=version]")
	return h.owner.Post(action, field.AttrOr("name", "x"), field.AttrOr("value", ""))
}

// The owner proposes an account by the form, learns of each step, and retires it. Other roles do not see the
// page, and other merchants' accounts and the installation's are not there.
func TestOwnBank(t *testing.T) {
	t.Parallel()
	h := newOwnHouse(t)
	in := bankstest.Account(t, banktest.Serve(t, "generic"))
	modelstest.Exec(t, h.DB, "UPDATE accounts SET document = $1 WHERE id = $2", in.HolderDocument, h.Gateway.Account.ID)
	if a := h.send(t, "/app/conta-bancaria/nova", in, "holderName"); a.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Find("#errors").Text(), "titular") {
		t.Errorf("without a holder: %d %s", a.Status, a.Find("#errors").Text())
	}
	taken := in
	taken.PixKey = bankstest.Account(t, h.House.Bank).PixKey
	if a := h.send(t, "/app/conta-bancaria/nova", taken); !strings.Contains(a.Find("#errors").Text(),
		"já usa esta chave") {
		t.Errorf("with the installation's key: %d %s", a.Status, a.Find("#errors").Text())
	}
	if a := h.send(t, "/app/conta-bancaria/nova", in); a.Header.Get("Location") != "/app/conta-bancaria" {
		t.Fatalf("proposed: %d %s", a.Status, a.Find("#errors, main").Text())
	}
	if a := h.send(t, "/app/conta-bancaria/nova", in); a.Status != http.StatusConflict {
		t.Errorf("proposed again: %d", a.Status)
	}
	id := modelstest.One[string](t, h.DB, "SELECT id FROM bank_accounts WHERE account_id IS NOT NULL")
	path := "/app/conta-bancaria/" + id
	if a := h.owner.Get("/app/conta-bancaria"); !strings.Contains(a.Text(), "Em análise") ||
		!strings.Contains(a.Text(), in.PixKey) {
		t.Errorf("the page: %s", a.Find("main").Text())
	}
	if a := h.press(t, path+"/verificar"); !strings.Contains(a.Find("#findings").Text(), "Token de acesso") {
		t.Errorf("checked: %d %s", a.Status, a.Find("main").Text())
	}
	h.ApproveOwn(t, id)
	if a := h.owner.Get("/app/conta-bancaria"); !strings.Contains(a.Text(), "Vale a partir de") {
		t.Errorf("the page: %s", a.Find("main").Text())
	}
	for _, role := range []models.Role{models.RoleAdmin, models.RoleFinance, models.RoleDeveloper, models.RoleViewer} {
		h.GiveRole(t, role)
		for _, below := range []string{"", "/nova", "/" + id + "/credenciais"} {
			if a := h.owner.Get("/app/conta-bancaria" + below); a.Status != http.StatusForbidden {
				t.Errorf("%s gets %d at %s", role, a.Status, below)
			}
		}
		for _, below := range []string{"/verificar", "/descartar", "/aposentar"} {
			if a := h.owner.Post(path + below); a.Status != http.StatusForbidden {
				t.Errorf("%s gets %d for %s", role, a.Status, below)
			}
		}
		if a := h.owner.Get("/app"); a.Find(`nav a[href="/app/conta-bancaria"]`).Length() > 0 {
			t.Errorf("the menu of %s has the page", role)
		}
	}
	h.GiveRole(t, models.RoleOwner)
	for _, other := range []string{h.AccountID, "bnk_00000000000000000000", "x"} {
		for _, below := range []string{"/verificar", "/descartar", "/aposentar"} {
			if a := h.owner.Post("/app/conta-bancaria/" + other + below); a.Status != http.StatusNotFound {
				t.Errorf("%s%s: %d", other, below, a.Status)
			}
		}
	}
	h.Later(banks.OwnWait)
	if err := h.Banks.ApplyDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.enter(t)
	h.rotates(t, path, in)
}

// rotates proposes new credentials twice, discards them, and retires the account at once in two windows.
func (h *ownHouse) rotates(t *testing.T, path string, in banks.NewAccount) {
	t.Helper()
	if a := h.send(t, path+"/credenciais", in); a.Header.Get("Location") != "/app/conta-bancaria" {
		t.Errorf("new credentials: %d %s", a.Status, a.Find("#errors").Text())
	}
	if a := h.send(t, path+"/credenciais", in); a.Status != http.StatusConflict {
		t.Errorf("new credentials again: %d", a.Status)
	}
	if a := h.press(t, path+"/descartar"); a.Status != http.StatusSeeOther {
		t.Errorf("discarded: %d", a.Status)
	}
	if a := h.owner.Post(path+"/aposentar", "version", "1"); a.Status != http.StatusConflict ||
		!strings.Contains(a.Text(), "Alguém mudou isto antes") {
		t.Errorf("retired by an old version: %d", a.Status)
	}
	version := h.owner.Get("/app/conta-bancaria").Find("input[name=version]").AttrOr("value", "")
	var both sync.WaitGroup
	answers := make(chan int, 2)
	for range cap(answers) {
		both.Go(func() { answers <- h.owner.Post(path+"/aposentar", "version", version).Status })
	}
	both.Wait()
	if first, second := <-answers, <-answers; first+second != http.StatusSeeOther+http.StatusConflict {
		t.Errorf("retired twice: %d, %d", first, second)
	}
	if a := h.owner.Get("/app/conta-bancaria"); !strings.Contains(a.Text(), "Aposentada") {
		t.Errorf("the page: %s", a.Find("main").Text())
	}
}

// Members who handle money decide about Pix at the own account that paid no charge, once; staff and other roles
// do not, and Pix at the installation's are not there.
func TestOwnPix(t *testing.T) {
	t.Parallel()
	h := newOwnHouse(t)
	c := h.Charge(t, payments.NewCheckout{Amount: 50_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 40_00})
	h.Sweep(t)
	theirs := modelstest.One[string](t, h.DB, "SELECT payment_id FROM payment_exceptions")
	own := h.WithOwn(t)
	c = own.Charge(t, payments.NewCheckout{Amount: 50_00})
	own.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 30_00})
	own.Sweep(t)
	mine := modelstest.One[string](t, h.DB, "SELECT payment_id FROM payment_exceptions WHERE payment_id <> $1", theirs)
	h.enter(t)
	path, reason := "/app/saldo/avulsos/"+mine, paymentstest.Reason
	accept := []string{"outcome", "ACCEPTED", "reason", reason}
	if a := h.owner.Get("/app/saldo"); !strings.Contains(a.Text(), "Este dinheiro está na sua conta bancária") ||
		!strings.Contains(a.Text(), "1 Pix espera a sua decisão") {
		t.Errorf("the balance: %s", a.Find("main").Text())
	}
	if a := h.owner.Get("/app/saldo/avulsos"); a.Find(`a[href="`+path+`"]`).Length() != 1 ||
		strings.Contains(a.Body, theirs) {
		t.Errorf("the list: %s", a.Find("main").Text())
	}
	for _, other := range []string{theirs, "pay_00000000000000000000", "x"} {
		if a := h.owner.Get("/app/saldo/avulsos/" + other); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", other, a.Status)
		}
		if a := h.owner.Post("/app/saldo/avulsos/"+other, accept...); a.Status != http.StatusNotFound {
			t.Errorf("%s is decided: %d", other, a.Status)
		}
	}
	for _, form := range [][]string{{"reason", reason}, {"outcome", "WRITTEN_OFF", "reason", reason},
		{"outcome", "ACCEPTED", "reason", "x"}, {"outcome", "REFUNDED", "reason", reason, "returnId", "?"}} {
		if a := h.owner.Post(path, form...); a.Status != http.StatusUnprocessableEntity ||
			a.Find("#errors").Length() != 1 {
			t.Errorf("%v: %d", form, a.Status)
		}
	}
	h.returnsWithoutID(t, path)
	for _, role := range []models.Role{models.RoleDeveloper, models.RoleViewer} {
		h.GiveRole(t, role)
		if a := h.owner.Post(path, accept...); a.Status != http.StatusForbidden {
			t.Errorf("%s decides: %d", role, a.Status)
		}
	}
	h.GiveRole(t, models.RoleFinance)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if a := h.owner.Post(path, accept...); a.Status != http.StatusSeeOther {
				t.Errorf("decided: %d", a.Status)
			}
		})
	}
	both.Wait()
	if n := modelstest.One[int](t, h.DB, `SELECT count(*) FROM audit_log WHERE action = 'exception.accepted'
		AND account_id = $1`, h.Gateway.Account.ID); n != 1 {
		t.Errorf("decided %d times", n)
	}
	if a := h.owner.Get(path); a.Header.Get("Location") != "/app/saldo/avulsos" {
		t.Errorf("afterwards the form is %d", a.Status)
	}
}

// returnsWithoutID says that a Pix was given back and not by which return: the bank is asked for none.
func (h *ownHouse) returnsWithoutID(t *testing.T, path string) {
	t.Helper()
	for _, id := range []string{"", " "} {
		a := h.owner.Post(path, "outcome", "REFUNDED", "reason", paymentstest.Reason, "returnId", id)
		if says := a.Find("#returnId-error").Text(); a.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(says, "Informe o ID da devolução") {
			t.Errorf("given back without an id, %q: %d %q", id, a.Status, says)
		}
	}
	if n := modelstest.One[int](t, h.DB, `SELECT count(*) FROM payment_exceptions
		WHERE return_status IS NOT NULL OR decision IS NOT NULL`); n != 0 {
		t.Error("the bank is asked, or a Pix is decided")
	}
}

// Of a charge whose bank account is closed there is nothing to press, and the page says why.
func TestRefund_ClosedBank(t *testing.T) {
	t.Parallel()
	h := newOwnHouse(t)
	c := h.Charge(t, payments.NewCheckout{Amount: 50_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	h.enter(t)
	path := "/app/cobrancas/" + c.ID
	form := h.owner.Get(path + "/devolver")
	key := form.Find("input[name=key]").AttrOr("value", "")
	if a := h.owner.Get(path); a.Find(`a[href="`+path+`/devolver"]`).Length() != 1 || key == "" ||
		a.Find("#not-asked").Length() != 0 {
		t.Errorf("while it is used: %s", a.Find("main").Text())
	}
	for _, status := range []models.BankAccountStatus{models.BankAccountRetiring, models.BankAccountClosed} {
		modelstest.Exec(t, h.DB, "UPDATE bank_accounts SET status = $1 WHERE id = $2", status, h.AccountID)
	}
	if a := h.owner.Get(path); a.Find(`a[href="`+path+`/devolver"]`).Length() != 0 ||
		!strings.Contains(a.Find("#not-asked").Text(), "o banco dela não é mais consultado") {
		t.Errorf("when it is closed: %s", a.Find("main").Text())
	}
	for name, a := range map[string]webtest.Answer{"the form": h.owner.Get(path + "/devolver"),
		"the kept form": h.owner.Post(path+"/devolver", "key", key, "amount", "10,00")} {
		if a.Header.Get("Location") != path {
			t.Errorf("%s: %d %s", name, a.Status, a.Find("#errors").Text())
		}
	}
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM refunds"); n != 0 {
		t.Errorf("%d refunds", n)
	}
}

// What was paid at the own account is there, and never was available here or withdrawn.
func TestOwnBank_Paid(t *testing.T) {
	t.Parallel()
	h := newOwnHouse(t)
	own := h.WithOwn(t)
	c := own.Charge(t, payments.NewCheckout{Amount: 50_00})
	own.Pay(t, control.PayRequest{Code: c.CopyPaste})
	own.Sweep(t)
	h.enter(t)
	for _, settled := range []bool{false, true} {
		if settled {
			if _, err := h.SettleDue(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		a := h.owner.Get("/app/cobrancas/" + c.ID)
		steps := a.Find("#progress + ol li p:first-child").Map(func(_ int, p *goquery.Selection) string {
			return strings.TrimSpace(p.Text())
		})
		want := []string{"Criada", "QR Code gerado", "Paga", "Na sua conta bancária"}
		if !slices.Equal(steps, want) {
			t.Errorf("settled %v: the steps are %q", settled, steps)
		}
		if says := a.Find("section:has(#settlement)").Text(); !strings.Contains(says, "Na sua conta bancária") ||
			strings.Contains(says, "Disponível") {
			t.Errorf("settled %v: the payment is %s", settled, says)
		}
		for _, path := range []string{"/app/cobrancas/cobrancas.csv", "/app/saldo/vendas.csv"} {
			if a := h.owner.Get(path); !strings.Contains(a.Body, "Na sua conta bancária") {
				t.Errorf("settled %v: %s: %s", settled, path, a.Body)
			}
		}
	}
	h.owner.Lang = "en"
	if a := h.owner.Get("/app/cobrancas/cobrancas.csv"); !strings.Contains(a.Body, `,"COMPLETED"`) {
		t.Errorf("in English, for programs, the file says %s", a.Body)
	}
}
