package dashboard_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
	"garoupa/webhook"
)

// A delivery's page says what happened, why, and what to do, and sends it again once
// however often its form is sent.
func TestDelivery(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	other, _ := s.Endpoint(t, "https://shop.example/other")
	d := charged(t, s, e.ID, answered500)
	c := s.Member(t)
	path := "/app/webhooks/" + e.ID + "/entregas/" + d.ID
	a := c.Get(path)
	for _, says := range []string{"Seu servidor respondeu 500", "O que fazer", "1 de 5 tentativas automáticas",
		"Próxima tentativa:", "<b>KeyError</b>", "x-svc-signature: "} {
		if !strings.Contains(a.Text(), says) {
			t.Errorf("it does not say %q", says)
		}
	}
	if a.Find("[data-follow]").Length() != 0 || a.Find("[data-countdown]").Length() != 1 {
		t.Error("it follows what is not under way, or does not count down to the next attempt")
	}
	resend := a.Find("form[action$=reenviar]")
	token := resend.Find("input[name=token]").AttrOr("value", "")
	for range 2 {
		if a := c.Post(resend.AttrOr("action", ""), "token", token); a.Status != http.StatusSeeOther ||
			a.Header.Get("Location") != path {
			t.Errorf("resent: %d", a.Status)
		}
	}
	if n := countRows(t, s, "webhook_resends"); n != 1 {
		t.Errorf("%d attempts by hand wait", n)
	}
	if a := c.Get(path); a.Find("[data-follow]").Length() != 1 || a.Find("form[action$=reenviar]").Length() != 0 ||
		!strings.Contains(a.Text(), "Uma tentativa está a caminho") {
		t.Error("the page does not say that an attempt is on its way")
	}
	manual := answered200
	manual.Manual = true
	s.Attempt(t, d.ID, manual)
	modelstest.Exec(t, s.DB, "UPDATE webhook_resends SET finished_at = now()")
	if a := c.Get(path); a.Find("[data-follow]").Length() != 0 || !strings.Contains(a.Text(), "Tentativa 2, manual") ||
		!regexp.MustCompile(`ms · 1 de mar\. de 2026, \d\d:\d\d:\d\d`).MatchString(a.Text()) ||
		!strings.Contains(a.Text(), "Seu servidor respondeu 200") {
		t.Error("it does not tell of the attempt by hand")
	}
	for _, wrong := range []string{"/app/webhooks/" + other.ID + "/entregas/" + d.ID, path + "0",
		"/app/webhooks/" + e.ID + "/entregas/dlv_%00"} {
		if c.Get(wrong).Status != http.StatusNotFound ||
			c.Post(wrong+"/reenviar", "token", "x").Status != http.StatusNotFound {
			t.Errorf("%s is there", wrong)
		}
	}
	c.Post("/app/ambiente", "env", "live")
	if c.Get(path).Status != http.StatusNotFound ||
		c.Post(path+"/reenviar", "token", "x").Status != http.StatusNotFound {
		t.Error("live reaches it")
	}
}

// The pages say that an endpoint was turned off because it answered 410.
func TestEndpoint_Gone(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	charged(t, s, e.ID, models.Attempt{StatusCode: 410, ErrorClass: "status", Detail: "answered 410"})
	c := s.Member(t)
	for path, says := range map[string]string{
		"/app":                  "Desativamos um endpoint que respondeu 410",
		"/app/webhooks/" + e.ID: "Desativamos este endpoint, que respondeu 410",
		"/app/webhooks/" + e.ID + "/entregas/" + s.LatestDelivery(t, e.ID).ID: "e desativa o endpoint",
	} {
		if !strings.Contains(c.Get(path).Text(), says) {
			t.Errorf("%s does not say %q", path, says)
		}
	}
}

// A replay counts first, takes what it counted, and takes it once.
func TestReplay(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	five := []models.Attempt{answered500, answered500, answered500, answered500, answered500}
	charged(t, s, e.ID, five...)
	s.Clock.Advance(2 * time.Hour)
	charged(t, s, e.ID, five...)
	charged(t, s, e.ID, answered500)
	c := s.Member(t)
	at := "/app/webhooks/" + e.ID
	if err := s.Merchants.SwitchEndpoint(t.Context(), s.Owner, s.Test, e.ID, false); err != nil {
		t.Fatal(err)
	}
	charged(t, s, e.ID)
	modelstest.Exec(t, s.DB, `UPDATE webhook_endpoints SET disabled_at = $1, disabled_reason = 'failing'`,
		s.Clock.Now())
	if a := c.Get(at); !strings.Contains(a.Text(), "Desativamos este endpoint") ||
		a.Find("a[href='"+at+"/repetir']").Length() == 0 {
		t.Error("the endpoint's page does not say that it was turned off, or leads nowhere")
	}
	if a := c.Get(at + "/repetir"); !strings.Contains(a.Text(), "3 eventos serão reenviados") {
		t.Errorf("in a week: %q", a.Find("main p").First().Text())
	}
	ask := c.Get(at + "/repetir?since=1h")
	if !strings.Contains(ask.Text(), "2 eventos serão reenviados") ||
		!strings.Contains(ask.Text(), "com 5 novas tentativas") || !strings.Contains(ask.Text(), "ativado antes") {
		t.Errorf("in an hour: %q", ask.Find("main").Text())
	}
	form := hiddenPairs(ask.Find("form[method=post][action$=repetir]"))
	s.Clock.Advance(time.Second)
	late := charged(t, s, e.ID) // skipped after the count
	without := append([]string{}, form...)
	for i, name := range without {
		if name == "enable" {
			without = append(without[:i], without[i+2:]...)
			break
		}
	}
	if a := c.Post(at+"/repetir", without...); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get(at).Text(), "O endpoint está desativado") {
		t.Errorf("replayed while off: %d", a.Status)
	}
	before := countRows(t, s, "webhook_deliveries WHERE status = 'PENDING'")
	for i, says := range []string{"Reenvio na fila", "já está na fila"} {
		if a := c.Post(at+"/repetir", form...); a.Status != http.StatusSeeOther ||
			!strings.Contains(c.Get(at).Text(), says) {
			t.Errorf("sent %d times: %d", i+1, a.Status)
		}
	}
	if n := countRows(t, s, "webhook_deliveries WHERE status = 'PENDING'") - before; n != 2 ||
		s.LatestDelivery(t, e.ID).Status != models.DeliverySkipped || late.Status != models.DeliverySkipped {
		t.Errorf("it took %d", n)
	}
	audited := modelstest.One[string](t, s.DB, "SELECT detail->>'deliveries' FROM audit_log "+
		"WHERE action = 'webhook_endpoint.replayed' AND account_id = $1", s.Account.ID)
	if audited != "2" {
		t.Errorf("the audit log says %q", audited)
	}
	for _, odd := range []string{"?since=%00", "?since=-1h"} {
		if a := c.Get(at + "/repetir" + odd); a.Status != http.StatusOK {
			t.Errorf("%s: %d", odd, a.Status)
		}
	}
	if a := c.Post(at+"/repetir", "since", "x", "until", ""); a.Status != http.StatusSeeOther {
		t.Errorf("a form without times: %d", a.Status)
	}
}

// hiddenPairs are the hidden fields of a form, as names and values.
func hiddenPairs(form *goquery.Selection) (pairs []string) {
	form.Find("input[type=hidden]").Each(func(_ int, s *goquery.Selection) {
		pairs = append(pairs, s.AttrOr("name", ""), s.AttrOr("value", ""))
	})
	return pairs
}

// The result of a test event stands where it was sent from, and turns by itself; it is an
// event for all to see.
func TestTestEvent(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	c := s.Member(t)
	at := "/app/webhooks/" + e.ID
	if n := c.Get(at).Find("select[name=type] option").Length(); n != 3 {
		t.Errorf("%d types to choose from", n)
	}
	a := c.Post(at+"/testar", "type", "checkout.paid")
	place := regexp.MustCompile(`^` + at +
		`\?test=(dlv_[0-9a-f]{24})#test$`).FindStringSubmatch(a.Header.Get("Location"))
	if a.Status != http.StatusSeeOther || place == nil {
		t.Fatalf("sent: %d to %s", a.Status, a.Header.Get("Location"))
	}
	shown := at + "?test=" + place[1]
	if a := c.Get(shown); a.Find("#test-result[data-follow]").Length() != 1 ||
		!strings.Contains(a.Find("#test-result").Text(), "Enviando") {
		t.Errorf("on its way: %q", a.Find("#test-result").Text())
	}
	if a := c.Get(at + "/entregas/" + place[1]); !strings.Contains(a.Text(), "Evento de teste") ||
		a.Find("[data-follow]").Length() != 1 || !strings.Contains(a.Find("#body").Text(),
		"Evento de teste: nada aconteceu") {
		t.Errorf("its delivery: %d", a.Status)
	}
	s.Attempt(t, place[1], answered500)
	if a := c.Get(shown).Find("#test-result"); a.Is("[data-follow]") ||
		!strings.Contains(a.Text(), "HTTP 500 · 143\u00a0ms") || a.Find("#test-response").Text() != "<b>KeyError</b>" {
		t.Errorf("its result: %q", a.Text())
	}
	other := charged(t, s, e.ID)
	for _, odd := range []string{other.ID, "", "dlv_0", "%00"} {
		if a := c.Get(at + "?test=" + odd); a.Status != http.StatusOK || a.Find("#test-result").Length() != 0 {
			t.Errorf("the result of %q: %d", odd, a.Status)
		}
	}
	if a := c.Get("/app/eventos"); !strings.Contains(a.Text(), "Evento de teste") {
		t.Error("the list of events does not mark it")
	}
	for eventType, says := range map[string]string{"checkout.cancelled": "não recebe esse tipo",
		"": "não recebe esse tipo"} {
		if a := c.Post(at+"/testar", "type", eventType); a.Status != http.StatusSeeOther ||
			!strings.Contains(c.Get(at).Text(), says) {
			t.Errorf("%q: %d", eventType, a.Status)
		}
	}
	c.Post(at + "/desativar")
	c.Get(at)
	if a := c.Post(at+"/testar", "type", "checkout.paid"); a.Status != http.StatusSeeOther ||
		!strings.Contains(c.Get(at).Text(), "O endpoint está desativado") {
		t.Errorf("to one that is off: %d", a.Status)
	}
}

// standardOf returns the signature of Standard Webhooks of webtest's attempts, some seconds later.
func standardOf(secret, id string, later int64, body []byte) string {
	signature, _ := webhook.SignStandard(secret, id, time.Unix(1_772_366_400+later, 0), body)
	return signature
}

// writtenAgain returns JSON as servers write it that parsed it.
func writtenAgain(t *testing.T, body []byte) (indented, sorted []byte) {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	var read any
	if err := json.Unmarshal(body, &read); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), sorted
}

// A developer learns why a receiver computes another signature; a viewer is not asked.
func TestSignature(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, secret := s.Endpoint(t, "https://shop.example/hook")
	d := charged(t, s, e.ID, answered500)
	event, err := models.EventByID(t.Context(), s.DB.Pool, s.Test, d.Event.ID)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Member(t)
	page := "/app/webhooks/" + e.ID + "/entregas/" + d.ID
	says := func(signature string) string {
		a := c.Get(page + "?signature=" + url.QueryEscape(signature))
		return a.Find("section[aria-labelledby=signature-check] [role=status] p").First().Text()
	}
	right := webhook.Sign(secret, event.Body)
	raw, err := hex.DecodeString(right)
	if err != nil {
		t.Fatal(err)
	}
	indented, sorted := writtenAgain(t, event.Body)
	sum := sha256.Sum256(event.Body)
	python := strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(string(event.Body))
	for signature, want := range map[string]string{
		" " + right + "\n":                                  "A assinatura confere",
		strings.ToUpper(right):                              "O valor está certo, em maiúsculas",
		base64.StdEncoding.EncodeToString(raw):              "O valor está certo, em Base64",
		webhook.Sign(secret, indented):                      "O corpo foi reescrito antes do cálculo",
		webhook.Sign(secret, []byte(python)):                "O corpo foi reescrito antes do cálculo",
		webhook.Sign(secret, sorted):                        "O corpo foi reescrito antes do cálculo",
		webhook.Sign(secret[6:], event.Body):                "O cálculo usou o segredo sem whsec_",
		hex.EncodeToString(sum[:]):                          "É só o SHA-256 do corpo",
		webhook.Sign("whsec_other", event.Body):             "A assinatura não confere",
		standardOf(secret, d.Event.ID, 0, event.Body):       "A assinatura confere",
		standardOf(secret, d.Event.ID, 0, indented):         "O corpo foi reescrito antes do cálculo",
		standardOf(secret, d.Event.ID, 1, event.Body):       "A assinatura não confere",
		standardOf("whsec_QUJD", d.Event.ID, 0, event.Body): "A assinatura não confere",
		standardOf("whsec_"+base64.StdEncoding.EncodeToString([]byte(secret)), d.Event.ID, 0,
			event.Body): "O cálculo usou o texto do segredo como chave",
		"\x00é<script>": "A assinatura não confere",
		"":              "",
	} {
		if got := says(signature); got != want {
			t.Errorf("%q: %q, want %q", signature, got, want)
		}
	}
	if _, err := s.Merchants.RotateSecret(t.Context(), s.Owner, s.Test, e.ID, secret[len(secret)-4:]); err != nil {
		t.Fatal(err)
	}
	for _, signature := range []string{right, standardOf(secret, d.Event.ID, 0, event.Body)} {
		if got := says(signature); got != "É a do segredo anterior" {
			t.Errorf("after a rotation: %q", got)
		}
	}
	s.Clock.Advance(24 * time.Hour)
	c = s.Member(t)
	if got := says(right); got != "A assinatura não confere" {
		t.Errorf("a day later: %q", got)
	}
	s.GiveRole(t, models.RoleViewer)
	if a := c.Get(page + "?signature=" + right); a.Find("#signature").Length() != 0 {
		t.Error("a viewer is told")
	}
}
