package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
	"garoupa/webhook"
)

// received is what a merchant's server was sent.
type received struct{ signature, body string }

// newReceiver starts a merchant's server.
func newReceiver(t *testing.T) (address string, arrived <-chan received) {
	t.Helper()
	all := make(chan received, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all <- received{r.Header.Get("x-svc-signature"), string(body)}
	}))
	t.Cleanup(server.Close)
	return server.URL, all
}

// A newcomer's first ten minutes: they sign up, make a key, register where webhooks go,
// charge with the key, see the charge paid, and find it on their server, signed.
func TestFirstCharge_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	work(t, s)
	receiver, arrived := newReceiver(t)
	page := browsertest.Open(t, s.URL+"/cadastro", browsertest.Options{Viewport: browsertest.Desktop})
	page.Axe()
	page.Keep("sign-up-desktop")
	page.Type("#name", "Bruno Reis")
	page.Type("#business", "Café do Bruno")
	page.Type("#email", "bruno@example.com")
	page.Type("#password", "uma frase bem comprida")
	page.Click("form [type=submit], form button.btn-primary")
	page.WaitText("h1", "Confirme seu e-mail")
	page.Click("main a[href='/app']")
	page.WaitText("h1", "Início")
	page.Axe()
	page.Keep("home-first-desktop")

	page.Click("button[name=way][value=api]")
	page.Click("main ol a[href='/app/chaves/nova']") // the first steps lead on
	page.Axe()
	page.Type("#name", "Minha loja")
	page.Click("main form button.btn-primary")
	page.WaitVisible("main input[value^=svc_test_], main [data-secret], main code")
	page.Keep("key-created-desktop")
	page.Axe()
	key := secretOn(page, "svc_test_")

	toSection(page, "/app")
	page.Click("main ol a[href='/app/webhooks/novo']")
	page.Type("#url", receiver)
	page.Click("main form button.btn-primary")
	page.WaitText("h1", "Endpoint cadastrado")
	signing := secretOn(page, "whsec_")
	page.Click("main a.btn-primary")

	id := charge(t, s, key)
	toSection(page, "/app/cobrancas")
	page.WaitVisible("R$ 49,90")
	page.Keep("checkouts-desktop")
	page.Axe()
	page.Click("main tbody a")
	page.WaitTrue(`location.pathname == "/app/cobrancas/` + id + `"`)
	paying := page.Attr("main a[target=_blank][href*='/pay/']", "href") // what the buyer opens
	page.Goto(s.URL + paying[strings.Index(paying, "/pay/"):])
	page.Click("Simular pagamento")
	page.WaitText("h1", "Pagamento confirmado")
	wantPaidEvent(t, arrived, signing, id)
	page.Goto(s.URL + "/app/cobrancas/" + id)
	page.WaitVisible("checkout.paid")
	page.Axe()
	page.Keep("checkout-paid-desktop")
}

// wantPaidEvent waits until a merchant's server has been told that a checkout is paid, and
// checks the signature of each event before.
func wantPaidEvent(t *testing.T, arrived <-chan received, signing, checkoutID string) {
	t.Helper()
	for got := (received{}); !strings.Contains(got.body, `"checkout.paid"`); {
		select {
		case got = <-arrived:
		case <-time.After(webtest.Patience):
			t.Fatal("no webhook tells of the payment")
		}
		if want := webhook.Sign(signing, []byte(got.body)); got.signature != want ||
			!strings.Contains(got.body, checkoutID) {
			t.Errorf("signed %q, want %q: %s", got.signature, want, got.body)
		}
	}
}

// The page of a checkout that is open while the buyer pays shows the payment by itself.
func TestFirstCharge_Watched(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	id := charge(t, s, s.Key(t, s.Test, models.PermissionCheckoutCreate))
	page := browsertest.Open(t, s.URL+"/app/cobrancas/"+id, browsertest.Options{
		Viewport: browsertest.Desktop, Cookies: s.Member(t).Cookies(),
	})
	page.WaitVisible("[data-stream]")
	if err := s.SimulatePayment(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	page.WaitTrue(`document.getElementById("charge").dataset.version == "PAID" &&
		!document.querySelector("[data-stream]")`)
	page.WaitVisible("checkout.paid")
}

// toSection goes to a section of the dashboard by its menu, which a phone opens first.
func toSection(page *browsertest.Page, path string) {
	const menu = "button[commandfor=drawer][command=show-modal]"
	if page.True(`document.querySelector("` + menu + `").getClientRects().length > 0`) {
		page.Click(menu)
	}
	page.Click("nav a.nav-item[href='" + path + "']")
}

// secretOn is the secret that the page shows once.
func secretOn(page *browsertest.Page, prefix string) string {
	secret := `(document.querySelector("main").innerText + document.querySelector("main input")?.value).match(/` +
		prefix + `[0-9A-Za-z]{32}/)?.[0]`
	page.WaitTrue(secret)
	return browsertest.Eval[string](page, secret)
}

// charge creates a checkout over the API, as a shop's server would.
func charge(t *testing.T, s *webtest.Site, key string) (id string) {
	t.Helper()
	status, made := s.Call(t, key, http.MethodPost, "/v1/checkouts",
		`{"amount": 4990, "description": "Vaso Lua Nova", "externalId": "pedido-1"}`)
	if status != http.StatusCreated {
		t.Fatalf("create: %d %v", status, made)
	}
	return made["id"].(string)
}
