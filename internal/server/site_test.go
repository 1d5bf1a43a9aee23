package server_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/internal/requestid"
	"garoupa/internal/server"
	"garoupa/internal/stream"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web"
)

var logged = &record{lines: map[string][]string{}, json: map[string]string{}}

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(logged))
	os.Exit(m.Run())
}

// record is a log that keeps its lines by request, so that parallel tests, which share it,
// find their own.
type record struct {
	mu    sync.Mutex
	lines map[string][]string
	json  map[string]string // the same lines as a process writes them
}

// Enabled implements slog.Handler: every level counts.
func (r *record) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements slog.Handler; nothing under test calls it.
func (r *record) WithAttrs([]slog.Attr) slog.Handler { return r }

// WithGroup implements slog.Handler; nothing under test calls it.
func (r *record) WithGroup(string) slog.Handler { return r }

// Handle implements slog.Handler.
func (r *record) Handle(ctx context.Context, line slog.Record) error {
	var text strings.Builder
	text.WriteString(line.Level.String() + " " + line.Message)
	line.Attrs(func(a slog.Attr) bool {
		text.WriteString(" " + a.String())
		return true
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	id := requestid.Of(ctx)
	r.lines[id] = append(r.lines[id], text.String())
	var written strings.Builder
	if err := slog.NewJSONHandler(&written, nil).Handle(ctx, line); err != nil {
		return err
	}
	r.json[id] += written.String()
	return nil
}

// of returns the lines that were written for the request.
func (r *record) of(id string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines[id]
}

// written returns the lines of the request as a process writes them to a file.
func (r *record) written(id string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.json[id]
}

// hosts are the three addresses of an installation.
type hosts struct{ base, checkout, app string }

var (
	apart    = hosts{"https://api.example", "https://pay.example:8443", "http://app.example"}
	together = hosts{"https://one.example", "https://one.example", "https://one.example"}
)

// newSite returns the root app at the addresses, over the gateway's services.
func newSite(t testing.TB, g *paymentstest.Gateway, at hosts) *fiber.App {
	t.Helper()
	return newSiteOn(t, g, g.DB, at)
}

// newSiteOn is newSite with a database of its own for the readiness check.
func newSiteOn(t testing.TB, g *paymentstest.Gateway, db *models.DB, at hosts) *fiber.App {
	t.Helper()
	return server.New(optionsOf(t, db, g.Service, g.Merchants, g, at))
}

// optionsOf returns options that serve the services of g, or others of the same
// installation, at the addresses. Readiness checks db.
func optionsOf(t testing.TB, db *models.DB, money *payments.Service, people *merchants.Service, g *paymentstest.Gateway,
	at hosts) server.Options {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return server.Options{
		// long enough for a busy machine
		Health:  server.NewHealth(server.HealthOptions{DB: db, Timeout: time.Minute}),
		BaseURL: at.base, CheckoutURL: at.checkout, AppURL: at.app, RequestTimeout: time.Minute,
		API: api.Options{DB: money.DB, Payments: money, Merchants: people, CheckoutURL: at.checkout, Now: g.Clock.Now},
		Web: web.Options{
			DB: money.DB, Payments: money, Merchants: people, Vault: g.Vault, Streams: stream.New(ctx, g.DB),
			BaseURL: at.base, CheckoutURL: at.checkout, AppURL: at.app, AllowPrivate: true, Now: g.Clock.Now,
		},
	}
}

// get requests a path at an address. headers are alternating names and values.
func get(t testing.TB, app *fiber.App, address, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	return send(t, app, httptest.NewRequest(http.MethodGet, address+path, nil), headers...)
}

func send(t testing.TB, app *fiber.App, request *http.Request, headers ...string) (*http.Response, string) {
	t.Helper()
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := app.Test(request, -1)
	if err != nil {
		t.Fatalf("%s %s: %v", request.Method, request.URL, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// unmigrated returns a database without a schema.
func unmigrated(t testing.TB) *models.DB {
	t.Helper()
	db, err := models.Open(t.Context(), modelstest.NewEmptyURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}
