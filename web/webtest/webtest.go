// Package webtest serves the whole gateway to the tests of the pages, and asks it as a
// browser without scripts does.
//
// Each room of web has its tests by HTTP beside it; tests that cross rooms, or that drive
// a real browser, are in package web.
package webtest

import (
	"context"
	"log/slog"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/banks"
	"garoupa/internal/mail"
	"garoupa/internal/server"
	"garoupa/internal/stream"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/browsertest"
)

// Main runs the tests of a package without the access log, whose thousands of lines would
// hide what a test says. It is called by TestMain.
func Main(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// Patience is how long a test waits before it says that nothing comes. It is far more
// than a busy machine needs.
const Patience = time.Minute

// Site is the whole gateway, served on an address of its own.
type Site struct {
	*paymentstest.Gateway
	URL     string // where it is served, without a slash at the end
	App     *fiber.App
	Streams *stream.Hub
	Banks   *banks.Service // its time is the machine's

	generator string // the secret of the owner's code generator; "" before ToLive
}

// New serves a gateway over a fresh database.
func New(t *testing.T) *Site { return NewLimited(t, web.Limits{}) }

// NewLimited is New with limits on how often pages may be requested.
func NewLimited(t *testing.T, limits web.Limits) *Site {
	t.Helper()
	return NewWith(t, func(o *web.Options) { o.Limits = limits })
}

// NewWith is New with changed options of the pages.
func NewWith(t *testing.T, change func(*web.Options)) *Site {
	t.Helper()
	return NewWithAPI(t, change, func(*api.Options) {})
}

// NewWithAPI is NewWith with changed options of the API, behind proxies that are trusted.
func NewWithAPI(t *testing.T, change func(*web.Options), changeAPI func(*api.Options), proxies ...netip.Prefix) *Site {
	t.Helper()
	return Serve(t, paymentstest.New(t), change, changeAPI, proxies...)
}

// Another serves the site a second time, as another process on the same database does.
func (s *Site) Another(t *testing.T) *Site {
	t.Helper()
	return Serve(t, s.Gateway.Another(t), func(*web.Options) {}, func(*api.Options) {})
}

// Serve serves a gateway that a test made.
func Serve(t *testing.T, g *paymentstest.Gateway, change func(*web.Options), changeAPI func(*api.Options),
	proxies ...netip.Prefix) *Site {
	t.Helper()
	s := &Site{Gateway: g, Banks: newBanks(t, g)}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	s.Streams = stream.New(ctx, s.DB)
	s.Tell = s.Streams.Tell
	address := "http://localhost" // one host for all three, so none is apart
	pages := web.Options{
		DB: s.DB, Payments: s.Service, Merchants: s.Merchants, Banks: s.Banks, Vault: s.Vault,
		Streams: s.Streams,
		Mails:   &mail.Writer{Vault: s.Vault, AppURL: address, CheckoutURL: address},
		BaseURL: address, CheckoutURL: address, AppURL: address, AllowPrivate: true, Now: s.Clock.Now,
	}
	change(&pages)
	calls := api.Options{DB: s.DB, Payments: s.Service, Merchants: s.Merchants, Streams: s.Streams,
		CheckoutURL: address, AppURL: address, Now: s.Clock.Now}
	changeAPI(&calls)
	s.App = server.New(server.Options{
		// a busy machine is not what is tested
		Health: server.NewHealth(server.HealthOptions{DB: s.DB}), RequestTimeout: time.Minute,
		BaseURL: address, CheckoutURL: address, AppURL: address,
		API: calls, Web: pages, TrustedProxies: proxies,
	})
	s.URL = browsertest.Serve(t, s.App)
	t.Cleanup(s.Streams.Close) // before the server stops, which waits for streams
	return s
}
