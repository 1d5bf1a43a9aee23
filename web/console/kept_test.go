package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// afterHalfADay is when a session in the console is over.
const afterHalfADay = 12*time.Hour + time.Second

// What staff wrote when their twelve hours were over is kept until they have logged in.
func TestKept_Staff(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffSupervisor)
	account := "/ops/contas/" + s.Account.ID
	note := []string{"key", "k1", "note", "O <b>dono</b> ligou.\nVolta amanhã."}
	s.Clock.Advance(afterHalfADay)
	for path, form := range map[string][]string{
		account + "/notas":    note,
		"/ops/motivos":        {"kind", "dispute", "text", paymentstest.Reason},
		"/ops/motivos/rsn_0":  {"kind", "dispute", "text-rsn_0", paymentstest.Reason, "version", "1"},
		"/ops/disputas/nova":  {"amount", "60,00", "answerBy", "", "cause", "Golpe", "payment", "pay_0", "ref", "M-1"},
		"/ops/disputas/dsp_0": {"do", "send", "outcome", "CLOSE", "reason", paymentstest.Reason, "version", ""},
		"/ops/acessos/x":      {"reason", "O CNPJ não confere", "version", "1"},
	} {
		kept := c.Post(path, form...)
		if kept.Status != http.StatusUnauthorized || kept.Find("main form").AttrOr("action", "") != path ||
			kept.Find("a[target=_blank][href='/entrar']").Length() != 1 ||
			!slices.Equal(webtest.HiddenFields(kept), form) {
			t.Errorf("%s: %d keeps %q of %q", path, kept.Status, webtest.HiddenFields(kept), form)
		}
	}
	kept := c.Post(account+"/notas", note...)
	s.AddStaff(t, "rita@staff.example", models.StaffSupervisor)
	c.Post("/entrar", "email", "rita@staff.example", "password", paymentstest.Password)
	s.Enroll(t, c, c.Get("/ops").Header.Get("Location"))
	if a := c.Post(account+"/notas", webtest.HiddenFields(kept)...); a.Header.Get("Location") != account {
		t.Fatalf("sent again: %d %s", a.Status, a.Find("main").Text())
	}
	shows(t, c.Get(account), "main", "O <b>dono</b> ligou. Volta amanhã.")
}

// A form with a password, without fields or of another site is not kept. It leads to the log-in, and then to the page
// that it was on.
func TestKept_StaffNothing(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffSupervisor)
	var form []string
	secrets := c.Get("/ops/seguranca").Find("main input[type=password], main input[autocomplete=one-time-code]")
	secrets.Each(func(_ int, field *goquery.Selection) {
		form = append(form, field.AttrOr("name", ""), webtest.NewPassword)
	})
	if len(form) < 4 {
		t.Fatalf("the page of security asks for %q", form)
	}
	s.Clock.Advance(afterHalfADay)
	leads := func(what string, a webtest.Answer, want string) {
		t.Helper()
		if to := "/entrar?next=" + url.QueryEscape(want); a.Status != http.StatusSeeOther ||
			a.Header.Get("Location") != to || strings.Contains(a.Body, webtest.NewPassword) {
			t.Errorf("%s: %d to %s, want %s", what, a.Status, a.Header.Get("Location"), to)
		}
	}
	for i := 0; i < len(form); i += 2 {
		leads(form[i], c.Post("/ops/seguranca/senha", append(form[i:i+2:i+2], "name", "x")...), "/ops/seguranca")
	}
	leads("a proof alone", c.Post("/ops/operadores/usr_0/sessoes", webtest.ProofField, webtest.NewPassword),
		"/ops/operadores")
	leads("no fields", c.Post("/ops/cobrancas/chk_0/pagador"), "/ops/cobrancas/chk_0")
	leads("no fields, from a page", c.CameFrom(http.MethodPost, "/ops/webhooks/whe_0/repetir",
		s.URL+"/ops/webhooks/whe_0?from=x"), "/ops/webhooks/whe_0?from=x")
	forged, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/ops/contas/acc_0/notas",
		strings.NewReader("note=x"))
	if err != nil {
		t.Fatal(err)
	}
	forged.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	forged.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := c.HTTP.Do(forged)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		t.Errorf("of another site: %d", response.StatusCode)
	}
}
