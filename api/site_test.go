package api_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/internal/server"
	"garoupa/internal/stream"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/web"
)

// The three addresses of the gateway under test.
const (
	baseURL = "https://api.example"
	appURL  = "https://app.example"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // tests provoke refusals, which would fill the log
	os.Exit(m.Run())
}

// site is a whole gateway that answers HTTP, and a merchant with a test key that has every
// permission.
type site struct {
	*paymentstest.Gateway
	app *fiber.App
	hub *stream.Hub
	key string
}

func newSite(t testing.TB) *site { return newSiteWith(t, psp.None{}) }

// newSiteWith is newSite with an institution for live.
func newSiteWith(t testing.TB, live psp.Provider) *site {
	t.Helper()
	return newSiteOver(t, paymentstest.NewWith(t, live), api.Limits{})
}

func newSiteOver(t testing.TB, g *paymentstest.Gateway, limits api.Limits) *site {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	hub := stream.New(ctx, g.DB)
	g.Tell = hub.Tell
	app := server.New(server.Options{
		// long enough for a busy machine
		Health:  server.NewHealth(server.HealthOptions{DB: g.DB, Timeout: time.Minute}),
		BaseURL: baseURL, CheckoutURL: paymentstest.CheckoutURL, AppURL: appURL, RequestTimeout: time.Minute,
		API: api.Options{
			DB: g.DB, Payments: g.Service, Merchants: g.Merchants, Streams: hub, CheckoutURL: paymentstest.CheckoutURL,
			Limits: limits, Now: g.Clock.Now,
		},
		Web: web.Options{
			DB: g.DB, Payments: g.Service, Merchants: g.Merchants, Vault: g.Vault, Streams: hub,
			BaseURL: baseURL, CheckoutURL: paymentstest.CheckoutURL, AppURL: appURL, AllowPrivate: true,
			Now: g.Clock.Now,
		},
	})
	return &site{Gateway: g, app: app, hub: hub, key: g.Key(t, g.Test, models.Permissions...)}
}

// institution is the live bank. It works as its Provider unless it is set unavailable, and
// records the charges.
type institution struct {
	psp.Provider
	unavailable bool
	asked       []string
}

// PutCharge implements psp.Provider.
func (i *institution) PutCharge(ctx context.Context, c psp.Charge) (psp.Issued, error) {
	i.asked = append(i.asked, c.TxID)
	if i.unavailable {
		return psp.Issued{}, psp.ErrUnavailable
	}
	return i.Provider.PutCharge(ctx, c)
}

// listen serves the site on a port and returns its address, for tests that need a
// connection. The Host of requests must still be the API's.
func (s *site) listen(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.app.Listener(listener) }()
	t.Cleanup(func() {
		s.hub.Close() // otherwise streams would delay the server
		if err := s.app.Shutdown(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request to the API. headers are alternating names and values.
func (s *site) send(t testing.TB, method, path, body string, headers ...string) answer {
	t.Helper()
	return s.sendTo(t, baseURL, method, path, body, headers...)
}

func (s *site) sendTo(t testing.TB, address, method, path, body string, headers ...string) answer {
	t.Helper()
	request := httptest.NewRequest(method, address+path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := s.app.Test(request, -1)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return read(t, response)
}

func read(t testing.TB, response *http.Response) answer {
	t.Helper()
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{status: response.StatusCode, header: response.Header, body: string(raw)}
}

// create posts a checkout with the merchant's test key.
func (s *site) create(t testing.TB, body string, headers ...string) answer {
	t.Helper()
	return s.send(t, http.MethodPost, "/v1/checkouts", body,
		append([]string{"Authorization", "Bearer " + s.key, "Content-Type", "application/json"}, headers...)...)
}

// failure is the complete envelope of an error (contract 7).
type failure struct {
	Error struct {
		Type, Code, Message string
		RequestID           string `json:"requestId"`
	}
}

// fault decodes the answer as an error, and checks the rules of all errors.
func (a answer) fault(t testing.TB) failure {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(a.body))
	d.DisallowUnknownFields()
	var f failure
	if err := d.Decode(&f); err != nil || d.More() {
		t.Fatalf("the answer %d %s is not an error: %v", a.status, a.body, err)
	}
	e := f.Error
	if e.Type == "" || e.Code == "" || e.Message == "" || e.RequestID == "" ||
		e.RequestID != a.header.Get("Request-Id") {
		t.Errorf("the envelope %s with the Request-Id %q is incomplete", a.body, a.header.Get("Request-Id"))
	}
	if got := a.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("an error with the content type %q", got)
	}
	return f
}

// refused reports whether the answer has the status and code.
func (a answer) refused(t testing.TB, status int, code string) bool {
	t.Helper()
	return a.status == status && a.fault(t).Error.Code == code
}

// id returns the id of the checkout in the answer.
func (a answer) id(t testing.TB) string {
	t.Helper()
	var checkout struct{ ID string }
	if err := json.Unmarshal([]byte(a.body), &checkout); err != nil || checkout.ID == "" {
		t.Fatalf("the answer %d %s is not a checkout: %v", a.status, a.body, err)
	}
	return checkout.ID
}

// good is a valid body, member by member.
var good = []string{"amount", `4990`, "description", `"Vaso Lua Nova"`, "externalId", `"pedido-1"`}

// with returns the valid body with members set to raw JSON; "" leaves a member out.
func with(members ...string) string {
	var body strings.Builder
	set := map[string]string{}
	for i := 0; i < len(members); i += 2 {
		set[members[i]] = members[i+1]
	}
	add := func(name, raw string) {
		if raw == "" {
			return
		}
		if body.Len() > 0 {
			body.WriteByte(',')
		}
		body.WriteString(quoted(name) + ":" + raw)
	}
	for i := 0; i < len(good); i += 2 {
		raw := good[i+1]
		if own, given := set[good[i]]; given {
			raw = own
			delete(set, good[i])
		}
		add(good[i], raw)
	}
	for i := 0; i < len(members); i += 2 {
		if raw, left := set[members[i]]; left {
			add(members[i], raw)
		}
	}
	return "{" + body.String() + "}"
}

// quoted writes s as a JSON string.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// checkouts returns the number of checkouts.
func (s *site) checkouts(t testing.TB) (n int) {
	t.Helper()
	if err := s.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM checkouts").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// pending creates a checkout without the API.
func (s *site) pending(t testing.TB) *models.Checkout {
	t.Helper()
	return s.Checkout(t, payments.NewCheckout{})
}
