package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/jobs"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
	"garoupa/webhook"
)

// shop is a merchant's server that is broken until it is repaired.
type shop struct {
	url string

	mu       sync.Mutex
	repaired bool
	got      []string // the ids of the events that came
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL + "/webhooks/pix"
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.ReadAll(r.Body); err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, r.Header.Get("x-svc-event-id"))
	if s.repaired {
		return
	}
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = w.Write([]byte("KeyError: 'externalId'\n  em app/webhooks.py, linha 42"))
}

func (s *shop) repair() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repaired = true
}

// work starts the workers, by the real clock, which the pages go by as well. They repeat
// nothing before the test is over, and pages count less than an hour to it however long
// that takes.
func work(t *testing.T, s *webtest.Site) {
	t.Helper()
	s.Clock.Advance(time.Since(s.Clock.Now()))
	o := s.Options
	o.Now, o.Backoff = time.Now, slices.Repeat([]time.Duration{30 * time.Minute}, 4)
	runner, err := jobs.Start(t.Context(), jobs.Options{
		DB: s.DB, Payments: payments.New(o), Merchants: s.Merchants, Now: time.Now,
		EventsKept: 90 * 24 * time.Hour,
		Banks:      banks.New(banks.Options{DB: s.DB, Vault: s.Vault, Now: time.Now}),
		Webhooks:   webhook.NewClient(webhook.Options{AllowPrivate: true}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = runner.Stop(context.Background()) })
}

// A developer finds out why an event did not arrive, repairs the shop's server, and
// sends the event again: the same one, delivered before their eyes.
func TestFailedWebhook_Browser(t *testing.T) {
	t.Parallel()
	s, receiver := webtest.New(t), newShop(t)
	work(t, s)
	e, _ := s.Endpoint(t, receiver.url)
	page := logIn(t, s, browsertest.Options{Viewport: browsertest.Desktop})
	toSection(page, "/app/eventos")
	page.WaitVisible("Nenhum evento ainda")
	s.Checkout(t, payments.NewCheckout{Amount: 49_90})
	for end := time.Now().Add(webtest.Patience); s.LatestDelivery(t, e.ID).Attempts == 0; {
		if time.Now().After(end) {
			t.Fatal("no attempt was made")
		}
		time.Sleep(10 * time.Millisecond)
	}

	page.Reload()
	page.Click("Só não entregues")
	page.Click("Filtrar")
	page.WaitTrue(`location.search.includes("delivery=undelivered")`)
	page.Click("main tbody a")
	page.WaitText("h1", "checkout.created")
	page.Click("main li a[href*=entregas]")
	page.WaitText("#verdict", "Seu servidor respondeu 500")
	page.WaitTrue(`document.querySelector("#response-1").innerText.includes("KeyError: 'externalId'")`)
	page.WaitTrue(`/^\d\d:\d\d$/.test(document.querySelector("[data-countdown]").textContent)`)

	receiver.repair()
	page.Click("Reenviar agora")
	page.WaitText("#verdict", "Entregue") // the page looks by itself
	page.WaitVisible("Tentativa 2, manual")
	page.WaitText("#live", "Entregue")
	toSection(page, "/app/eventos")
	page.Click("Só não entregues")
	page.Click("Filtrar")
	page.WaitVisible("Tudo foi entregue")
	page.Axe()

	d := s.LatestDelivery(t, e.ID)
	receiver.mu.Lock()
	if len(receiver.got) != 2 || receiver.got[0] != d.Event.ID || receiver.got[1] != d.Event.ID ||
		d.Status != models.DeliveryDelivered {
		t.Errorf("the shop got %q of %s, which is %s", receiver.got, d.Event.ID, d.Status)
	}
	receiver.mu.Unlock()

	// What the page says of a test event it says everywhere.
	toSection(page, "/app/webhooks")
	page.Click("main a[href='/app/webhooks/" + e.ID + "']")
	page.Click("Enviar teste")
	page.WaitTrue(`document.querySelector("#test-result").innerText.includes("Entregue")`)
	page.WaitTrue(`!document.querySelector("#sent").innerText.includes("Na fila")`)
	page.WaitTrue(`document.querySelector("#fares dd").innerText == "1"`)
}
