package webtest

import (
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/payments/paymentstest"
)

// random matches ids, codes and secrets, in which any few letters stand by chance.
var random = regexp.MustCompile(`[0-9A-Za-z]{16,}`)

// WithoutRandom returns a text without its ids, codes and secrets.
func WithoutRandom(text string) string { return random.ReplaceAllString(text, "") }

// Client is a browser without scripts: it keeps cookies and follows no redirect.
type Client struct {
	T       *testing.T
	Base    string // the URL of its site
	HTTP    *http.Client
	Lang    string      // what Accept-Language says
	Referer string      // of the requests; "" for none
	From    string      // what X-Forwarded-For says, "" for nothing
	Dest    string      // what Sec-Fetch-Dest says: "empty" for a page that asks by itself
	Header  http.Header // other headers of the requests
}

// Client returns a client that has no cookies and asks for Portuguese.
func (s *Site) Client(t *testing.T) *Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Client{T: t, Base: s.URL, Lang: "pt-BR", HTTP: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Member returns a client that logged in as the owner, with a code after ToLive.
func (s *Site) Member(t *testing.T) *Client {
	t.Helper()
	c := s.Client(t)
	a := c.Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	if a.Status != http.StatusSeeOther {
		t.Fatalf("log in: %d", a.Status)
	}
	if strings.HasPrefix(a.Header.Get("Location"), "/2fa") {
		s.Clock.Advance(30 * time.Second) // a code counts once
		c.Post("/2fa", "code", s.Code(s.generator))
	}
	return c
}

// Cookies returns the cookies that the site gave the client.
func (c *Client) Cookies() []*http.Cookie {
	c.T.Helper()
	base, err := url.Parse(c.Base)
	if err != nil {
		c.T.Fatal(err)
	}
	return c.HTTP.Jar.Cookies(base)
}

// Answer is a response that was read to its end.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	*goquery.Document
}

// Get requests a page.
func (c *Client) Get(path string) Answer {
	c.T.Helper()
	return c.Do(http.MethodGet, path, nil)
}

// Post sends a form of names and values.
func (c *Client) Post(path string, pairs ...string) Answer {
	c.T.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return c.Do(http.MethodPost, path, form)
}

// Do sends a form by any method; nil is no form.
func (c *Client) Do(method, path string, form url.Values) Answer {
	c.T.Helper()
	if form == nil {
		return c.Send(method, path, "", nil)
	}
	return c.Send(method, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// CameFrom is Get, or Post with its pairs, by a browser that comes from a page.
func (c *Client) CameFrom(method, path, page string, pairs ...string) Answer {
	c.T.Helper()
	c.Referer = page
	defer func() { c.Referer = "" }()
	if method == http.MethodGet {
		return c.Get(path)
	}
	return c.Post(path, pairs...)
}

// Send sends a body of a media type, or none.
func (c *Client) Send(method, path, mediaType string, content io.Reader) Answer {
	c.T.Helper()
	request, err := http.NewRequestWithContext(c.T.Context(), method, c.Base+path, content)
	if err != nil {
		c.T.Fatal(err)
	}
	request.Header.Set("Accept-Language", c.Lang)
	if c.Referer != "" {
		request.Header.Set("Referer", c.Referer)
	}
	if c.From != "" {
		request.Header.Set("X-Forwarded-For", c.From)
	}
	maps.Copy(request.Header, c.Header)
	if c.Dest != "" {
		request.Header.Set("Sec-Fetch-Dest", c.Dest)
	}
	if content != nil {
		request.Header.Set("Content-Type", mediaType)
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		c.T.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	a := Answer{Status: response.StatusCode, Header: response.Header, Body: string(body)}
	if a.Document, err = goquery.NewDocumentFromReader(strings.NewReader(a.Body)); err != nil {
		c.T.Fatal(err)
	}
	return a
}

// URL parses an address.
func URL(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// ScopeOf returns the name and the value of the field that says for which project and
// environment the form of a page is.
func ScopeOf(t *testing.T, page Answer) []string {
	t.Helper()
	field := page.Find("main form input[name=garoupa_scope]").First()
	if field.AttrOr("value", "") == "" {
		t.Fatalf("no scope on a page: %d %s", page.Status, page.Find("main").Text())
	}
	return []string{"garoupa_scope", field.AttrOr("value", "")}
}

// HiddenFields returns the names and values of the hidden fields of a page.
func HiddenFields(page Answer) []string {
	var pairs []string
	page.Find("main input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
		pairs = append(pairs, input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	return pairs
}
