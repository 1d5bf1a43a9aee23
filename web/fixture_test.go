package web_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/live"
	"garoupa/mail"
	"garoupa/payments/paymentstest"
	"garoupa/server"
	"garoupa/web"
	"garoupa/web/browsertest"
)

// The access log of thousands of requests would hide what a test says.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// patience is how long a test waits before it says that nothing comes. It is far more
// than a busy machine needs.
const patience = time.Minute

// random are ids, codes and secrets, in which any few letters stand by chance.
var random = regexp.MustCompile(`[0-9A-Za-z]{16,}`)

// withoutChance leaves of a text what somebody wrote.
func withoutChance(text string) string { return random.ReplaceAllString(text, "") }

// site is the whole gateway, served on an address of its own.
type site struct {
	*paymentstest.Gateway
	url  string
	app  *fiber.App
	live *live.Hub
}

func newSite(t *testing.T) *site { return newLimitedSite(t, web.Limits{}) }

func newLimitedSite(t *testing.T, limits web.Limits) *site {
	t.Helper()
	return newSiteWith(t, func(o *web.Options) { o.Limits = limits })
}

// newSiteWith is newSite with some options of its own.
func newSiteWith(t *testing.T, change func(*web.Options)) *site {
	t.Helper()
	return newSiteOf(t, change, func(*api.Options) {})
}

// newSiteOf is newSiteWith with some options of the API's besides, behind proxies.
func newSiteOf(t *testing.T, change func(*web.Options), changeAPI func(*api.Options), proxies ...netip.Prefix) *site {
	t.Helper()
	s := &site{Gateway: paymentstest.New(t)}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	s.live = live.New(ctx, s.DB)
	address := "http://localhost" // one host for all three, so none is apart
	pages := web.Options{
		DB: s.DB, Payments: s.Service, Merchants: s.Merchants, Vault: s.Vault, Live: s.live, Mails: &mail.Writer{Vault: s.Vault, AppURL: address},
		BaseURL: address, CheckoutHost: address, AppURL: address, AllowPrivate: true, Now: s.Clock.Now,
	}
	change(&pages)
	calls := api.Options{DB: s.DB, Payments: s.Service, Merchants: s.Merchants, Live: s.live, CheckoutHost: address, Now: s.Clock.Now}
	changeAPI(&calls)
	s.app = server.New(server.Options{
		DB: s.DB, BaseURL: address, CheckoutHost: address, AppURL: address,
		API: calls, Web: pages, TrustedProxies: proxies,
	})
	s.url = browsertest.Serve(t, s.app)
	t.Cleanup(s.live.Close) // before the server stops, which waits for streams
	return s
}

// client is a browser without scripts: it keeps cookies and follows no redirect.
type client struct {
	t       *testing.T
	base    string
	http    *http.Client
	lang    string
	referer string // of the requests; "" for none
	from    string // what X-Forwarded-For says, "" for nothing
}

func (s *site) client(t *testing.T) *client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &client{t: t, base: s.url, lang: "pt-BR", http: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// member is a client that logged in as the owner.
func (s *site) member(t *testing.T) *client {
	t.Helper()
	c := s.client(t)
	if a := c.post("/entrar", "email", s.Email, "password", paymentstest.Password); a.status != http.StatusSeeOther {
		t.Fatalf("log in: %d", a.status)
	}
	return c
}

// cookies are those that the client has of the site.
func (c *client) cookies() []*http.Cookie {
	c.t.Helper()
	base, err := url.Parse(c.base)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.http.Jar.Cookies(base)
}

// answer is a response, read.
type answer struct {
	status int
	header http.Header
	body   string
	*goquery.Document
}

func (c *client) get(path string) answer {
	c.t.Helper()
	return c.do(http.MethodGet, path, nil)
}

// post sends a form of names and values.
func (c *client) post(path string, pairs ...string) answer {
	c.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return c.do(http.MethodPost, path, form)
}

func (c *client) do(method, path string, form url.Values) answer {
	c.t.Helper()
	if form == nil {
		return c.send(method, path, "", nil)
	}
	return c.send(method, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// cameFrom is get, or with a form post, by a browser that comes from a page.
func (c *client) cameFrom(method, path, page string, pairs ...string) answer {
	c.t.Helper()
	c.referer = page
	defer func() { c.referer = "" }()
	if method == http.MethodGet {
		return c.get(path)
	}
	return c.post(path, pairs...)
}

// send sends a body of a media type, or none.
func (c *client) send(method, path, mediaType string, content io.Reader) answer {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, content)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Accept-Language", c.lang)
	if c.referer != "" {
		request.Header.Set("Referer", c.referer)
	}
	if c.from != "" {
		request.Header.Set("X-Forwarded-For", c.from)
	}
	if content != nil {
		request.Header.Set("Content-Type", mediaType)
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	response, err := c.http.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header, body: string(body)}
	if a.Document, err = goquery.NewDocumentFromReader(strings.NewReader(a.body)); err != nil {
		c.t.Fatal(err)
	}
	return a
}
