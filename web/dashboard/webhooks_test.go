package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/web/webtest"
)

var (
	answered500 = models.Attempt{StatusCode: 500, ErrorClass: "status", Detail: "answered 500",
		Duration: 143 * time.Millisecond, Response: []byte("<b>KeyError</b>")}
	answered200 = models.Attempt{StatusCode: 200, Duration: 84 * time.Millisecond}
)

// charged makes a checkout, whose event is then tried at the endpoint.
func charged(t *testing.T, s *webtest.Site, endpointID string, attempts ...models.Attempt) models.Delivery {
	t.Helper()
	s.Clock.Advance(time.Second)
	s.Checkout(t, payments.NewCheckout{})
	d := s.LatestDelivery(t, endpointID)
	for _, a := range attempts {
		s.Attempt(t, d.ID, a)
	}
	return d
}

func countRows(t *testing.T, s *webtest.Site, of string) (n int) {
	t.Helper()
	if err := s.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+of).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// The list narrows by type, by checkout and to what did not arrive; its addresses
// can be shared and its pages put together are all of it.
func TestEvents(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	ok := charged(t, s, e.ID, answered200)
	var late []models.Delivery
	for range 30 {
		late = append(late, charged(t, s, e.ID, answered500))
	}
	c := s.Member(t)
	shown := func(path string, d models.Delivery) bool {
		return strings.Contains(c.Get(path).Body, "/app/eventos/"+d.Event.ID)
	}
	const lacking = "/app/eventos?delivery=undelivered"
	if !shown("/app/eventos", late[29]) || shown("/app/eventos", late[0]) || shown(lacking, ok) {
		t.Error("the first page does not hold the latest, or holds what arrived")
	}
	next := c.Get(lacking).Find("a[rel=next]").AttrOr("href", "")
	if query := webtest.URL(t, next).Query(); query.Get("delivery") != "undelivered" || query.Get("cursor") == "" {
		t.Fatalf("the next page is %q", next)
	}
	if !shown(next, late[0]) || shown(next, late[29]) || shown(next, ok) {
		t.Error("the next page is not what follows")
	}
	event, err := models.EventByID(t.Context(), s.DB.Pool, s.Test, late[3].Event.ID)
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Get("/app/eventos?q=+" + event.CheckoutID + "+&type=checkout.created"); !strings.Contains(a.Body,
		event.ID) || strings.Contains(a.Body, late[4].Event.ID) ||
		a.Find("select[name=type] option[selected]").AttrOr("value", "") != "checkout.created" ||
		a.Find("main input[name=q]").AttrOr("value", "") != event.CheckoutID {
		t.Error("by checkout and type")
	}
	if shown("/app/eventos?type=checkout.paid", ok) {
		t.Error("by another type")
	}
	if a := c.Get("/app/eventos/" + event.ID); a.Status != http.StatusOK ||
		!strings.Contains(a.Text(), "Tentando de novo") ||
		a.Find("a[href='/app/webhooks/"+e.ID+"/entregas/"+late[3].ID+"']").Length() != 1 ||
		a.Find("#raw").Text() != string(event.Body) || !strings.Contains(a.Find("#body").Text(), "\n  \"type\": ") {
		t.Errorf("its page: %d", a.Status)
	}
	for _, odd := range []string{"?cursor=nonsense", "?type=NOPE", "?q=%00%ff'", "?q=evt_x", "?q=dlv_x", "?delivery=x",
		"/evt_0", "/" + strings.ToUpper(event.ID), "/evt_%00"} {
		if a := c.Get("/app/eventos" + odd); a.Status != map[bool]int{true: 200, false: 404}[odd[0] == '?'] {
			t.Errorf("%s: %d", odd, a.Status)
		}
	}
	c.Post("/app/ambiente", "env", "live")
	if shown("/app/eventos", ok) || c.Get("/app/eventos/"+event.ID).Status != http.StatusNotFound {
		t.Error("live shows test events")
	}
}

// The secret is shown and changed after a proof, to those who develop; a rotation
// that is sent twice rotates once.
func TestEndpointSecret(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, first := s.Endpoint(t, "https://shop.example/hook")
	c := s.Member(t)
	at := "/app/webhooks/" + e.ID + "/segredo"
	s.Clock.Advance(11 * time.Minute)
	for _, rotate := range []string{"", "/trocar", "/encerrar"} {
		method := map[bool]string{true: http.MethodGet, false: http.MethodPost}[rotate == ""]
		if a := c.Do(method, at+rotate, url.Values{"seen": {first[len(first)-4:]}}); strings.Contains(a.Body, first) ||
			a.Find("input[name="+webtest.ProofField+"]").Length() != 1 {
			t.Errorf("%s without a proof: %d", rotate, a.Status)
		}
	}
	c = s.Member(t)
	page := c.Get(at)
	if page.Find("#secret").Text() != first || page.Find("form[action$=encerrar]").Length() != 0 {
		t.Fatalf("shown: %d", page.Status)
	}
	form := hiddenPairs(page.Find("form[action$=trocar]"))
	for i, says := range []string{"Segredo trocado", "já tinha sido trocado"} {
		if a := c.Post(at+"/trocar", form...); a.Status != http.StatusSeeOther ||
			!strings.Contains(c.Get(at).Text(), says) {
			t.Errorf("sent %d times: %d", i+1, a.Status)
		}
	}
	rotated := c.Get(at)
	if rotated.Find("#secret").Text() == first || rotated.Find("form[action$=encerrar]").Length() != 1 ||
		!strings.Contains(c.Get("/app/webhooks/"+e.ID).Text(), "O anterior também assina até") {
		t.Error("the pages do not tell of the rotation")
	}
	if a := c.Post(at + "/encerrar"); a.Status != http.StatusSeeOther ||
		c.Get(at).Find("form[action$=encerrar]").Length() != 0 {
		t.Errorf("retired: %d", a.Status)
	}
	c.Post("/app/ambiente", "env", "live")
	if c.Get(at).Status != http.StatusNotFound || c.Post(at+"/trocar", form...).Status != http.StatusNotFound {
		t.Error("live reaches it")
	}
}

// Who may only look sees how deliveries fare, and neither the secret nor a form.
func TestWebhooks_Viewer(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, secret := s.Endpoint(t, "https://shop.example/hook")
	d := charged(t, s, e.ID, answered500)
	s.GiveRole(t, models.RoleViewer)
	c := s.Member(t)
	at := "/app/webhooks/" + e.ID
	for _, path := range []string{"/app/webhooks", at, at + "/entregas/" + d.ID, "/app/eventos",
		"/app/eventos/" + d.Event.ID} {
		if a := c.Get(path); a.Status != http.StatusOK || a.Find("main form[method=post]").Length() != 0 ||
			strings.Contains(a.Body, secret) {
			t.Errorf("%s: %d, %d forms", path, a.Status, a.Find("main form[method=post]").Length())
		}
	}
	for _, path := range []string{"/app/webhooks/novo", at + "/editar", at + "/segredo", at + "/repetir"} {
		if a := c.Get(path); a.Status != http.StatusForbidden {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	for _, path := range []string{at + "/editar", at + "/testar", at + "/repetir", at + "/ativar", at + "/excluir",
		at + "/segredo/trocar", at + "/segredo/encerrar", at + "/entregas/" + d.ID + "/reenviar"} {
		if a := c.Post(path); a.Status != http.StatusForbidden {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}

// An endpoint is edited in place, and nothing typed is lost.
func TestEditEndpoint(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	c := s.Member(t)
	at := "/app/webhooks/" + e.ID
	if a := c.Get(at + "/editar"); a.Find("#url").AttrOr("value", "") != e.URL ||
		a.Find("input[name=types][checked]").Length() != 3 ||
		a.Find("input[value='checkout.cancelled']").Length() != 1 {
		t.Errorf("the form: %d", a.Status)
	}
	a := c.Post(at+"/editar", "url", "ftp://x", "description", "ERP", "types", "checkout.cancelled")
	if a.Status != http.StatusUnprocessableEntity || a.Find("#url").AttrOr("value", "") != "ftp://x" ||
		a.Find("#description").AttrOr("value", "") != "ERP" ||
		a.Find("input[value='checkout.cancelled'][checked]").Length() != 1 {
		t.Errorf("wrong: %d", a.Status)
	}
	if a := c.Post(at+"/editar", "url", "https://shop.example:25/", "types", "checkout.cancelled"); a.Status !=
		http.StatusUnprocessableEntity || !strings.Contains(a.Text(), "A porta 25 é de outro protocolo") {
		t.Errorf("a port: %d", a.Status)
	}
	if a := c.Post(at+"/editar", "url", "https://shop.example/novo", "description", "ERP", "types",
		"checkout.cancelled"); a.Status != http.StatusSeeOther {
		t.Errorf("right: %d", a.Status)
	}
	if a := c.Get(at); !strings.Contains(a.Find("h1").Text(), "https://shop.example/novo") ||
		!strings.Contains(a.Text(), "Endpoint salvo") || !strings.Contains(a.Text(), "checkout.cancelled") {
		t.Error("its page does not show what was saved")
	}
}

// The start page and the list name an endpoint that nothing reaches.
func TestEndpointTrouble(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	c := s.Member(t)
	d := charged(t, s, e.ID, answered500, answered500)
	for _, path := range []string{"/app", "/app/webhooks"} {
		if a := c.Get(path); strings.Contains(a.Text(), "não está recebendo eventos") {
			t.Errorf("%s after two attempts", path)
		}
	}
	s.Attempt(t, d.ID, answered500)
	for _, path := range []string{"/app", "/app/webhooks", "/app/webhooks/" + e.ID} {
		if a := c.Get(path); !strings.Contains(a.Text(), "não está recebendo eventos") ||
			!strings.Contains(a.Text(), "1 de mar. de 2026, 09:00") {
			t.Errorf("%s says nothing", path)
		}
	}
	s.Attempt(t, d.ID, answered200)
	if a := c.Get("/app"); strings.Contains(a.Text(), "não está recebendo eventos") {
		t.Error("after a success it still says so")
	}
}

// The list tells which share of the events of a day arrived, and when they did not.
func TestWebhooks_Day(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	e, _ := s.Endpoint(t, "https://shop.example/hook")
	c := s.Member(t)
	row := func() *goquery.Selection { return c.Get("/app/webhooks").Find("main li") }
	if got := row(); !strings.Contains(got.Text(), "Nenhuma entrega em 24 h") ||
		got.Find("svg.w-24 rect").Length() != 1 {
		t.Errorf("before anything: %q", got.Text())
	}
	charged(t, s, e.ID, answered500) // too long ago
	s.Clock.Advance(23 * time.Hour)
	charged(t, s, e.ID, answered500)
	s.Clock.Advance(time.Hour)
	charged(t, s, e.ID, answered200)
	charged(t, s, e.ID, answered200)
	charged(t, s, e.ID) // not tried yet
	got := row()
	for _, says := range []string{"66,6% entregues em 24 h", "3 eventos", "1 não chegou"} {
		if !strings.Contains(got.Text(), says) {
			t.Errorf("%q does not say %q", got.Text(), says)
		}
	}
	bars := got.Find("svg.w-24 rect")
	if bars.Length() != 3 || bars.Eq(1).AttrOr("class", "") != "fill-bad" ||
		bars.Eq(2).AttrOr("class", "") != "fill-chart" || bars.Eq(2).AttrOr("x", "") != "92" {
		t.Errorf("%d bars: %s", bars.Length(), got.Find("svg").Text())
	}
}
