package console_test

import (
	"bytes"
	"crypto/x509"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/web/webtest"
)

// bankHouse is a site with three people of staff, beside a bank.
type bankHouse struct {
	*webtest.Site
	Bank          *banktest.Bank
	eva, rui, bia *webtest.Client // two supervisors, and a reviewer
	secrets       []string        // what no page may have
}

// bankForm is a form with files, by the names of its fields.
type bankForm struct {
	fields map[string]string
	files  map[string][]byte
}

func newBankHouse(t *testing.T) *bankHouse {
	t.Helper()
	s := webtest.New(t)
	s.Clock.Advance(time.Since(s.Clock.Now())) // certificates are valid now
	h := &bankHouse{Site: s, Bank: banktest.Serve(t, "generic")}
	h.eva = h.staff(t, "eva", models.StaffSupervisor)
	h.rui = h.staff(t, "rui", models.StaffSupervisor)
	h.bia = h.staff(t, "bia", models.StaffReviewer)
	return h
}

// staff returns a person of staff who is logged in.
func (h *bankHouse) staff(t *testing.T, name string, role models.StaffRole) *webtest.Client {
	t.Helper()
	email := name + "@staff.example"
	h.AddStaff(t, email, role)
	c := h.Client(t)
	c.Post("/entrar", "email", email, "password", paymentstest.Password)
	h.Enroll(t, c, c.Get("/ops").Header.Get("Location"))
	return c
}

// credential is a form with new credentials of the bank, whose certificate lasts for some time.
func (h *bankHouse) credential(t *testing.T, life time.Duration) bankForm {
	t.Helper()
	at, now := h.Bank.Folder.Account, time.Now()
	certificate, key, err := h.Bank.Folder.Issue(at.ClientID, now.Add(-2*time.Hour), now.Add(life),
		x509.ExtKeyUsageClientAuth)
	if err != nil {
		t.Fatal(err)
	}
	h.secrets = append(h.secrets, at.ClientSecret, strings.Split(string(key), "\n")[1], "PRIVATE KEY", "file-password",
		strings.Split(string(certificate), "\n")[1], "app-key-of-the-bank")
	return bankForm{
		fields: map[string]string{"clientId": at.ClientID, "clientSecret": at.ClientSecret,
			"appKey": "app-key-of-the-bank", "certificatePassword": "file-password"},
		files: map[string][]byte{"certificate": certificate, "privateKey": key},
	}
}

// account is a form with the bank's account.
func (h *bankHouse) account(t *testing.T) bankForm {
	t.Helper()
	at := h.Bank.Folder.Account
	authority, err := h.Bank.Folder.AuthorityPEM()
	if err != nil {
		t.Fatal(err)
	}
	form := h.credential(t, time.Hour)
	maps.Copy(form.fields, map[string]string{
		"name": "Conta principal", "profile": "generic", "pixKey": at.PixKey, "accountNumber": "12345-6",
		"holderName": at.HolderName, "holderDocument": "11.222.333/0001-81",
		"overrides": `{"base": "` + h.Bank.Base() + `", "token_url": "` + h.Bank.TokenURL() + `", "ca": "` +
			strings.ReplaceAll(string(authority), "\n", `\n`) + `"}`,
	})
	return form
}

// with returns the form with another value of a field.
func (f bankForm) with(field, value string) bankForm {
	f.fields = maps.Clone(f.fields)
	f.fields[field] = value
	return f
}

// withFile returns the form with another file, or without it if content is nil.
func (f bankForm) withFile(field string, content []byte) bankForm {
	f.files = maps.Clone(f.files)
	if f.files[field] = content; content == nil {
		delete(f.files, field)
	}
	return f
}

// send sends a form with files, and checks that its answer has no secret.
func (h *bankHouse) send(c *webtest.Client, path string, form bankForm) webtest.Answer {
	c.T.Helper()
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	for name, value := range form.fields {
		if err := parts.WriteField(name, value); err != nil {
			c.T.Fatal(err)
		}
	}
	for name, content := range form.files {
		part, err := parts.CreateFormFile(name, name+".pem")
		if err == nil {
			_, err = part.Write(content)
		}
		if err != nil {
			c.T.Fatal(err)
		}
	}
	if err := parts.Close(); err != nil {
		c.T.Fatal(err)
	}
	return h.clean(c, c.Send(http.MethodPost, path, parts.FormDataContentType(), &body))
}

// clean checks that an answer has no secret.
func (h *bankHouse) clean(c *webtest.Client, a webtest.Answer) webtest.Answer {
	c.T.Helper()
	for _, secret := range h.secrets {
		if strings.Contains(a.Body, secret) {
			c.T.Errorf("a page has the secret %q: %d", secret, a.Status)
		}
	}
	return a
}

// propose proposes the bank's account as eva and returns the path of its page.
func (h *bankHouse) propose(t *testing.T) string {
	t.Helper()
	a := h.send(h.eva, "/ops/bancos/nova", h.account(t))
	path := a.Header.Get("Location")
	if a.Status != http.StatusSeeOther || !strings.HasPrefix(path, "/ops/bancos/") {
		t.Fatalf("proposed: %d to %q %s", a.Status, path, a.Find("#errors, main").Text())
	}
	return path
}

// act presses a button of an account's page, by the end of its form's action.
func (h *bankHouse) act(c *webtest.Client, path, action string) webtest.Answer {
	c.T.Helper()
	page := h.clean(c, c.Get(path))
	return h.clean(c, c.Post(path+action, hiddenOf(c, page, path+action)...))
}

// hiddenOf returns the hidden fields of a form, by its action.
func hiddenOf(c *webtest.Client, page webtest.Answer, action string) []string {
	c.T.Helper()
	form := page.Find(`main form[action="` + action + `"]`)
	if form.Length() != 1 {
		c.T.Fatalf("no form %s: %d %s", action, page.Status, page.Find("main").Text())
	}
	field := form.Find("input[type=hidden]")
	if field.Length() == 0 {
		return nil
	}
	return []string{field.AttrOr("name", ""), field.AttrOr("value", "")}
}

// audited returns how often an act about bank accounts stands in the audit log.
func (h *bankHouse) audited(t *testing.T, action string) int {
	t.Helper()
	return modelstest.One[int](t, h.DB, "SELECT count(*) FROM audit_log WHERE action = $1", "bank_account."+action)
}

// An account is proposed by one and approved by another; reviewers look on, and other people find
// nothing.
func TestOps_Banks(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	shows(t, h.eva.Get("/ops/bancos"), "main", "Nenhum perfil de banco foi confirmado", "Nenhuma conta em banco",
		"Propor conta")
	path := h.propose(t)
	shows(t, h.clean(h.eva, h.eva.Get(path)), "main", "Você propôs estas credenciais", "11.222.333/0001-81",
		h.Bank.Folder.Account.PixKey, "12345-6", "Certificado vence em até 30 dias", "por Eva Reis", "token_url")
	if a := h.eva.Get(path); a.Find(`form[action="`+path+`/aprovar"]`).Length() != 0 ||
		a.Find(`a[href="/ops/auditoria?object=`+strings.TrimPrefix(path, "/ops/bancos/")+`"]`).Length() != 1 {
		t.Error("the author may approve, or is not led to the trail")
	}
	seen := h.rui.Get(path)
	credential := hiddenOf(h.rui, seen, path+"/aprovar")
	if a := h.eva.Post(path+"/aprovar", credential...); a.Status != http.StatusForbidden {
		t.Errorf("the author approves: %d", a.Status)
	}
	looks := h.clean(h.bia, h.bia.Get(path))
	shows(t, looks, "main", "Esperando aprovação")
	shows(t, h.bia.Get("/ops/bancos"), "main", "Conta principal")
	if looks.Find("main form").Length() != 0 || looks.Find(`a[href="`+path+`/credenciais"]`).Length() != 0 ||
		h.bia.Get("/ops/bancos").Find(`a[href="/ops/bancos/nova"]`).Length() != 0 {
		t.Error("a reviewer is shown what only supervisors do")
	}
	for who, c := range map[string]*webtest.Client{"a reviewer": h.bia, "the merchant": h.Member(t),
		"a stranger": h.Client(t)} {
		want := http.StatusNotFound
		if c == h.bia {
			want = http.StatusForbidden
		}
		for _, below := range []string{"/aprovar", "/descartar", "/aposentar", "/encerrar", "/verificar",
			"/credenciais"} {
			if a := c.Post(path+below, credential...); a.Status != want {
				t.Errorf("%s at %s: %d", who, below, a.Status)
			}
		}
		if a := h.send(c, "/ops/bancos/nova", h.account(t)); a.Status != want {
			t.Errorf("%s proposes: %d", who, a.Status)
		}
	}

	checked := h.act(h.rui, path, "/verificar")
	shows(t, checked, "section[aria-labelledby=card-findings]", "Certificado", "Token de acesso", "Relógio", "passou")
	if n := checked.Find("section[aria-labelledby=card-findings] span[lang=en]").Length(); n < 5 {
		t.Errorf("%d findings", n)
	}
	if a := h.act(h.rui, path, "/aprovar"); a.Header.Get("Location") != path {
		t.Fatalf("approved: %d %s", a.Status, a.Find("main").Text())
	}
	shows(t, h.clean(h.rui, h.rui.Get(path)), "main", "Em uso", "Aprovação", "Aposentar a conta")
	shows(t, h.clean(h.bia, h.bia.Get("/ops/bancos")), "main", "Em uso", "Proposta por Eva Reis")
	if a := h.rui.Get("/ops/bancos/bac_00000000000000000000"); a.Status != http.StatusNotFound {
		t.Errorf("an unknown account: %d", a.Status)
	}
}

// Credentials that the bank refuses are not approved, and the page says what it refused.
func TestOps_BankRefuses(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	form := h.account(t).with("clientSecret", "another-secret-of-the-bank")
	h.secrets = append(h.secrets, "another-secret-of-the-bank")
	path := h.send(h.eva, "/ops/bancos/nova", form).Header.Get("Location")
	a := h.act(h.rui, path, "/aprovar")
	if a.Status != http.StatusUnprocessableEntity {
		t.Errorf("approved: %d", a.Status)
	}
	shows(t, a, "section[aria-labelledby=card-findings]", "O banco não aceitou as credenciais", "falhou")
	if n := h.audited(t, "credentials_approved"); n != 0 {
		t.Errorf("approved %d times", n)
	}
}

// Of two accounts with the same key only one is approved.
func TestOps_BankKeyTaken(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	h.act(h.rui, h.propose(t), "/aprovar")
	second := h.propose(t)
	a := h.act(h.rui, second, "/aprovar")
	if a.Status != http.StatusConflict {
		t.Errorf("the second approval: %d", a.Status)
	}
	shows(t, a, "[role=alert]", "Outra conta já usa esta chave")
	shows(t, h.rui.Get(second), "main", "Espera aprovação")
}

// New credentials take the place of the old ones; what is discarded or retired stays so.
func TestOps_BankRotation(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	path := h.propose(t)
	h.act(h.rui, path, "/aprovar")
	fresh := path + "/credenciais"
	if a := h.rui.Get(fresh); a.Find("form[enctype='multipart/form-data']").Length() != 1 {
		t.Fatalf("the form: %d", a.Status)
	}
	if a := h.send(h.rui, fresh, h.credential(t, 60*24*time.Hour)); a.Header.Get("Location") != path {
		t.Fatalf("proposed: %d %s", a.Status, a.Find("#errors").Text())
	}
	if a := h.rui.Get(fresh); a.Header.Get("Location") != path {
		t.Errorf("while others wait, the form leads to %d %s", a.Status, a.Header.Get("Location"))
	}
	second := h.send(h.eva, fresh, h.credential(t, time.Hour))
	if second.Status != http.StatusConflict {
		t.Errorf("credentials beside proposed ones: %d", second.Status)
	}
	shows(t, second, "[role=alert]", "Eva Reis")
	h.act(h.eva, path, "/aprovar")
	page := h.clean(h.eva, h.eva.Get(path))
	shows(t, page, "section[aria-labelledby=card-credentials]", "Em uso", "Encerradas")
	if strings.Contains(page.Find("main h1").Parent().Text(), "vence em até 30 dias") {
		t.Error("the page warns of a certificate that was replaced")
	}

	h.send(h.rui, fresh, h.credential(t, time.Hour))
	waits := hiddenOf(h.eva, h.eva.Get(path), path+"/descartar")
	if a := h.act(h.eva, path, "/descartar"); a.Header.Get("Location") != path {
		t.Errorf("discarded: %d", a.Status)
	}
	for _, again := range []string{"/descartar", "/aprovar"} {
		if a := h.clean(h.eva, h.eva.Post(path+again, waits...)); a.Status != http.StatusConflict {
			t.Errorf("%s what was discarded: %d", again, a.Status)
		}
	}
	version := hiddenOf(h.eva, h.eva.Get(path), path+"/aposentar")
	if a := h.eva.Post(path+"/aposentar", "version", "1"); a.Status != http.StatusConflict {
		t.Errorf("retired by an old version: %d", a.Status)
	}
	if a := h.eva.Post(path+"/aposentar", version...); a.Header.Get("Location") != path {
		t.Errorf("retired: %d", a.Status)
	}
	shows(t, h.eva.Get(path), "main", "Aposentada")
	closed := h.propose(t)
	h.act(h.rui, closed, "/descartar")
	shows(t, h.rui.Get(closed), "main", "Encerrada")
	if a := h.rui.Get(closed); a.Find("main form").Length() != 0 {
		t.Error("a closed account can be changed")
	}
	if a := h.rui.Post(closed + "/verificar"); a.Status != http.StatusConflict {
		t.Errorf("a closed account is checked: %d", a.Status)
	}
}

// An account that is proposed a second time is refused, and the form says why.
func TestOps_BankProposedTwice(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	h.propose(t)
	a := h.clean(h.rui, h.send(h.rui, "/ops/bancos/nova", h.account(t)))
	if a.Status != http.StatusUnprocessableEntity {
		t.Errorf("the second proposal: %d to %s", a.Status, a.Header.Get("Location"))
	}
	shows(t, a, "#errors", "Outra conta já usa esta chave")
}

// Each form sent twice at once is done once, and the other is told who was first.
func TestOps_BankAtOnce(t *testing.T) {
	t.Parallel()
	h := newBankHouse(t)
	path := h.propose(t)
	other := h.Another(t)
	twice := func(c *webtest.Client, action string, send func(c *webtest.Client) webtest.Answer) {
		t.Helper()
		var both sync.WaitGroup
		var answers [2]int
		for i := range answers {
			through := *c
			if i == 1 {
				through.Base = other.URL
			}
			both.Go(func() {
				a := send(&through)
				if answers[i] = a.Status; a.Status == http.StatusConflict {
					shows(t, a, "[role=alert]", "Eva Reis")
				}
			})
		}
		both.Wait()
		slices.Sort(answers[:])
		if answers != [2]int{http.StatusSeeOther, http.StatusConflict} {
			t.Errorf("%s: %d", action, answers)
		}
	}
	press := func(c *webtest.Client, action string) {
		t.Helper()
		form := hiddenOf(c, c.Get(path), path+action)
		twice(c, action, func(c *webtest.Client) webtest.Answer { return c.Post(path+action, form...) })
	}
	press(h.rui, "/aprovar")
	for range 2 {
		form := h.credential(t, time.Hour)
		twice(h.rui, "/credenciais", func(c *webtest.Client) webtest.Answer {
			return h.send(c, path+"/credenciais", form)
		})
		press(h.eva, "/descartar")
	}
	press(h.eva, "/aposentar")
	press(h.eva, "/encerrar")
	for action, want := range map[string]int{"credentials_approved": 1, "credentials_proposed": 2,
		"credentials_discarded": 2, "retired": 1, "closed": 1} {
		if n := h.audited(t, action); n != want {
			t.Errorf("%s: %d times", action, n)
		}
	}
}
