package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/models"
	"garoupa/payments"
)

var (
	answered500 = models.Attempt{StatusCode: 500, ErrorClass: "status", Detail: "answered 500", Duration: 143 * time.Millisecond, Response: []byte("<b>KeyError</b>")}
	answered200 = models.Attempt{StatusCode: 200, Duration: 84 * time.Millisecond}
)

// charged makes a checkout, whose event is then tried at the endpoint.
func (s *site) charged(t *testing.T, endpointID string, attempts ...models.Attempt) models.Delivery {
	t.Helper()
	s.Clock.Advance(time.Second)
	s.Checkout(t, payments.NewCheckout{})
	d := s.latestDelivery(t, endpointID)
	for _, a := range attempts {
		s.attempt(t, d.ID, a)
	}
	return d
}

func (s *site) jobs(t *testing.T, where string) (n int) {
	t.Helper()
	if err := s.DB.Raw("SELECT count(*) FROM river_job WHERE " + where).Row().Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// The list narrows by type, by checkout and to what did not arrive; its addresses
// can be shared and its pages put together are all of it.
func TestEvents(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	ok := s.charged(t, e.ID, answered200)
	var late []models.Delivery
	for range 30 {
		late = append(late, s.charged(t, e.ID, answered500))
	}
	c := s.member(t)
	shown := func(path string, d models.Delivery) bool {
		return strings.Contains(c.get(path).body, "/app/eventos/"+d.Event.ID)
	}
	const lacking = "/app/eventos?entrega=pendente"
	if !shown("/app/eventos", late[29]) || shown("/app/eventos", late[0]) || shown(lacking, ok) {
		t.Error("the first page does not hold the latest, or holds what arrived")
	}
	next := c.get(lacking).Find("a[rel=next]").AttrOr("href", "")
	if query := mustURL(t, next).Query(); query.Get("entrega") != "pendente" || query.Get("cursor") == "" {
		t.Fatalf("the next page is %q", next)
	}
	if !shown(next, late[0]) || shown(next, late[29]) || shown(next, ok) {
		t.Error("the next page is not what follows")
	}
	event, err := models.EventByID(t.Context(), s.DB.Pool, s.Test, late[3].Event.ID)
	if err != nil {
		t.Fatal(err)
	}
	if a := c.get("/app/eventos?cobranca=+" + event.CheckoutID + "+&tipo=checkout.created"); !strings.Contains(a.body, event.ID) || strings.Contains(a.body, late[4].Event.ID) ||
		a.Find("select[name=tipo] option[selected]").AttrOr("value", "") != "checkout.created" || a.Find("input[name=cobranca]").AttrOr("value", "") != event.CheckoutID {
		t.Error("by checkout and type")
	}
	if shown("/app/eventos?tipo=checkout.paid", ok) {
		t.Error("by another type")
	}
	if a := c.get("/app/eventos/" + event.ID); a.status != http.StatusOK || !strings.Contains(a.Text(), "Em nova tentativa") ||
		a.Find("a[href='/app/webhooks/"+e.ID+"/entregas/"+late[3].ID+"']").Length() != 1 || a.Find("#raw").Text() != string(event.Body) || !strings.Contains(a.Find("#body").Text(), "\n  \"type\": ") {
		t.Errorf("its page: %d", a.status)
	}
	for _, odd := range []string{"?cursor=nonsense", "?tipo=NOPE", "?cobranca=%00%ff'", "?entrega=x", "/evt_0", "/" + strings.ToUpper(event.ID), "/evt_%00"} {
		if a := c.get("/app/eventos" + odd); a.status != map[bool]int{true: 200, false: 404}[odd[0] == '?'] {
			t.Errorf("%s: %d", odd, a.status)
		}
	}
	c.post("/app/ambiente", "env", "live")
	if shown("/app/eventos", ok) || c.get("/app/eventos/"+event.ID).status != http.StatusNotFound {
		t.Error("live shows test events")
	}
}

// The secret is shown and changed after a proof, to those who develop; a rotation
// that is sent twice rotates once.
func TestEndpointSecret(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	e, first := s.Endpoint(t, "https://shop.example/hook")
	c := s.member(t)
	at := "/app/webhooks/" + e.ID + "/segredo"
	s.Clock.Advance(11 * time.Minute)
	for _, rotate := range []string{"", "/trocar", "/encerrar"} {
		method := map[bool]string{true: http.MethodGet, false: http.MethodPost}[rotate == ""]
		if a := c.do(method, at+rotate, url.Values{"seen": {first[len(first)-4:]}}); strings.Contains(a.body, first) || a.Find("input[name="+proof+"]").Length() != 1 {
			t.Errorf("%s without a proof: %d", rotate, a.status)
		}
	}
	c = s.member(t)
	page := c.get(at)
	if page.Find("#secret").Text() != first || page.Find("form[action$=encerrar]").Length() != 0 {
		t.Fatalf("shown: %d", page.status)
	}
	form := hiddenPairs(page.Find("form[action$=trocar]"))
	for i, says := range []string{"Segredo trocado", "já tinha sido trocado"} {
		if a := c.post(at+"/trocar", form...); a.status != http.StatusSeeOther || !strings.Contains(c.get(at).Text(), says) {
			t.Errorf("sent %d times: %d", i+1, a.status)
		}
	}
	rotated := c.get(at)
	if rotated.Find("#secret").Text() == first || rotated.Find("form[action$=encerrar]").Length() != 1 || !strings.Contains(c.get("/app/webhooks/"+e.ID).Text(), "O anterior também assina até") {
		t.Error("the pages do not tell of the rotation")
	}
	if a := c.post(at + "/encerrar"); a.status != http.StatusSeeOther || c.get(at).Find("form[action$=encerrar]").Length() != 0 {
		t.Errorf("retired: %d", a.status)
	}
	c.post("/app/ambiente", "env", "live")
	if c.get(at).status != http.StatusNotFound || c.post(at+"/trocar", form...).status != http.StatusNotFound {
		t.Error("live reaches it")
	}
}

// Who may only look sees how deliveries fare, and neither the secret nor a form.
func TestWebhooks_Viewer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	e, secret := s.Endpoint(t, "https://shop.example/hook")
	d := s.charged(t, e.ID, answered500)
	s.GiveRole(t, models.RoleViewer)
	c := s.member(t)
	at := "/app/webhooks/" + e.ID
	for _, path := range []string{"/app/webhooks", at, at + "/entregas/" + d.ID, "/app/eventos", "/app/eventos/" + d.Event.ID} {
		if a := c.get(path); a.status != http.StatusOK || a.Find("main form[method=post]").Length() != 0 || strings.Contains(a.body, secret) {
			t.Errorf("%s: %d, %d forms", path, a.status, a.Find("main form[method=post]").Length())
		}
	}
	for _, path := range []string{"/app/webhooks/novo", at + "/editar", at + "/segredo", at + "/repetir"} {
		if a := c.get(path); a.status != http.StatusForbidden {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for _, path := range []string{at + "/editar", at + "/testar", at + "/repetir", at + "/ativar", at + "/excluir", at + "/segredo/trocar", at + "/segredo/encerrar", at + "/entregas/" + d.ID + "/reenviar"} {
		if a := c.post(path); a.status != http.StatusForbidden {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

// An endpoint is edited in place, and nothing typed is lost.
func TestEditEndpoint(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	c := s.member(t)
	at := "/app/webhooks/" + e.ID
	if a := c.get(at + "/editar"); a.Find("#url").AttrOr("value", "") != e.URL || a.Find("input[name=types][checked]").Length() != 3 || a.Find("input[value='checkout.cancelled']").Length() != 1 {
		t.Errorf("the form: %d", a.status)
	}
	a := c.post(at+"/editar", "url", "ftp://x", "description", "ERP", "types", "checkout.cancelled")
	if a.status != http.StatusUnprocessableEntity || a.Find("#url").AttrOr("value", "") != "ftp://x" || a.Find("#description").AttrOr("value", "") != "ERP" || a.Find("input[value='checkout.cancelled'][checked]").Length() != 1 {
		t.Errorf("wrong: %d", a.status)
	}
	if a := c.post(at+"/editar", "url", "https://shop.example/novo", "description", "ERP", "types", "checkout.cancelled"); a.status != http.StatusSeeOther {
		t.Errorf("right: %d", a.status)
	}
	if a := c.get(at); !strings.Contains(a.Find("h1").Text(), "https://shop.example/novo") || !strings.Contains(a.Text(), "Endpoint salvo") || !strings.Contains(a.Text(), "checkout.cancelled") {
		t.Error("its page does not show what was saved")
	}
}

// The start page and the list name an endpoint that nothing reaches.
func TestEndpointTrouble(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	c := s.member(t)
	d := s.charged(t, e.ID, answered500, answered500)
	for _, path := range []string{"/app", "/app/webhooks"} {
		if a := c.get(path); strings.Contains(a.Text(), "Nada chega") {
			t.Errorf("%s after two attempts", path)
		}
	}
	s.attempt(t, d.ID, answered500)
	for _, path := range []string{"/app", "/app/webhooks", "/app/webhooks/" + e.ID} {
		if a := c.get(path); !strings.Contains(a.Text(), "Nada chega") || !strings.Contains(a.Text(), "1 de mar. de 2026, 09:00") {
			t.Errorf("%s says nothing", path)
		}
	}
	s.attempt(t, d.ID, answered200)
	if a := c.get("/app"); strings.Contains(a.Text(), "Nada chega") {
		t.Error("after a success it still says so")
	}
}

// The list tells which share of the events of a day arrived, and when they did not.
func TestWebhooks_Day(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	c := s.member(t)
	row := func() *goquery.Selection { return c.get("/app/webhooks").Find("main li") }
	if got := row(); !strings.Contains(got.Text(), "Nenhuma entrega em 24 h") || got.Find("svg.w-24 rect").Length() != 1 {
		t.Errorf("before anything: %q", got.Text())
	}
	s.charged(t, e.ID, answered500) // too long ago
	s.Clock.Advance(23 * time.Hour)
	s.charged(t, e.ID, answered500)
	s.Clock.Advance(time.Hour)
	s.charged(t, e.ID, answered200)
	s.charged(t, e.ID, answered200)
	s.charged(t, e.ID) // not tried yet
	got := row()
	for _, says := range []string{"66,6% entregues em 24 h", "3 eventos", "1 não chegou"} {
		if !strings.Contains(got.Text(), says) {
			t.Errorf("%q does not say %q", got.Text(), says)
		}
	}
	bars := got.Find("svg.w-24 rect")
	if bars.Length() != 3 || bars.Eq(1).AttrOr("class", "") != "fill-bad" || bars.Eq(2).AttrOr("class", "") != "fill-chart" || bars.Eq(2).AttrOr("x", "") != "92" {
		t.Errorf("%d bars: %s", bars.Length(), got.Find("svg").Text())
	}
}
