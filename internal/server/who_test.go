package server_test

import (
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/requestid"
	"garoupa/internal/server"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// The client of the tests below, behind a proxy.
const client = "203.0.113.5"

// proxied returns a site behind a proxy at the address of the tests' connections.
func proxied(t testing.TB, g *paymentstest.Gateway) func(form url.Values, path string, headers ...string) string {
	t.Helper()
	o := optionsOf(t, g.DB, g.Service, g.Merchants, g, together)
	o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/32")}
	app := server.New(o)
	return func(form url.Values, path string, headers ...string) string {
		t.Helper()
		method := "GET"
		if form != nil {
			method = "POST"
		}
		id := requestid.New()
		request := httptest.NewRequest(method, together.base+path, strings.NewReader(form.Encode()))
		if form != nil {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		send(t, app, request, append(headers, "Request-Id", id, "X-Forwarded-For", client)...)
		return id
	}
}

// logIn returns the session's cookie of the owner.
func logIn(t *testing.T, app *fiber.App, g *paymentstest.Gateway) string {
	t.Helper()
	form := url.Values{"email": {g.Email}, "password": {paymentstest.Password}}
	request := httptest.NewRequest("POST", together.base+"/entrar", strings.NewReader(form.Encode()))
	response, _ := send(t, app, request, "Content-Type", "application/x-www-form-urlencoded")
	c := cookieOf(t, response, "__Host-garoupa_session")
	return c.Name + "=" + c.Value
}

// The line of a request has the client's address, and the id of the key or of the person.
func TestLog_Who(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	ask := proxied(t, g)
	cookie := logIn(t, newSite(t, g, together), g)
	made, key, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test,
		merchants.NewKey{Name: "test", Permissions: []models.Permission{models.PermissionCheckoutRead}})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		path, header, value string
		want, not           string
	}{
		"nobody":     {"/entrar", "X-Note", "", "address=" + client, "person="},
		"a person":   {"/app", "Cookie", cookie, "person=" + g.Owner.UserID, g.Email},
		"a key":      {"/v1/checkouts", "Authorization", "Bearer " + key, "key=" + made.ID, key},
		"no key":     {"/v1/checkouts", "Authorization", "Bearer " + key + "x", "address=" + client, "key="},
		"not inside": {"/app", "X-Note", "", "address=" + client, "person="},
	} {
		lines := strings.Join(logged.of(ask(nil, tc.path, tc.header, tc.value)), "\n")
		if !strings.Contains(lines, " "+tc.want) || !strings.Contains(lines, " address="+client+" ") ||
			strings.Contains(lines, " "+tc.not) {
			t.Errorf("%s: %q lacks %q or has %q", name, lines, tc.want, tc.not)
		}
	}
}

// The filter for fail2ban in docs/operations.md finds failed log-ins and their address, and nothing else.
func TestLog_Fail2ban(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^failregex = (.+)$`).FindStringSubmatch(string(doc))
	if found == nil {
		t.Fatal("docs/operations.md has no filter for fail2ban")
	}
	filter := regexp.MustCompile(strings.Replace(found[1], "<HOST>", `([0-9a-f.:]+)`, 1))
	g := paymentstest.New(t)
	ask := proxied(t, g)
	wrong := url.Values{"email": {g.Email}, "password": {"wrong"}}
	right := url.Values{"email": {g.Email}, "password": {paymentstest.Password}}
	for name, tc := range map[string]struct {
		form   url.Values
		path   string
		banned bool
	}{
		"a wrong password":   {wrong, "/entrar", true},
		"an unknown address": {url.Values{"email": {"x@example.com"}, "password": {"wrong"}}, "/entrar", true},
		"a log-in":           {right, "/entrar", false},
		"a page":             {nil, "/entrar", false},
		"a path that imitates it": {wrong,
			`/x%22,%22path%22:%22/entrar%22,%22status%22:422,%22address%22:%22198.51.100.9`, false},
	} {
		line := logged.written(ask(tc.form, tc.path))
		match := filter.FindStringSubmatch(line)
		if (match != nil) != tc.banned || match != nil && match[1] != client {
			t.Errorf("%s: the filter finds %q in %s", name, match, line)
		}
	}
}
