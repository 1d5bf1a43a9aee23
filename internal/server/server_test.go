package server_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/requestid"
	"garoupa/migrations"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/static"
)

// A path of one address does not exist at the others; health checks and files exist
// everywhere.
func TestHosts(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	id := g.Checkout(t, payments.NewCheckout{}).ID
	file := static.URL("app.css")
	app, one := newSite(t, g, apart), newSite(t, g, together)
	for _, tc := range []struct {
		path                string
		base, checkout, app int // the status at each address
	}{
		{"/v1/health", 200, 404, 404},
		{"/v1/checkouts", 401, 404, 404},
		{"/v1/nothing", 404, 404, 404},
		{"/pay/" + id, 404, 200, 404},
		{"/pay/" + id + "/qr.png", 404, 200, 404},
		{"/c/" + id, 404, 404, 404},
		{"/entrar", 404, 404, 200},
		{"/cadastro", 404, 404, 200},
		{"/app", 404, 404, 303},
		{"/", 404, 404, 303},
		{"/ajuda", 200, 200, 200},
		{"/livez", 200, 200, 200},
		{"/readyz", 200, 200, 200},
		{file, 200, 200, 200},
	} {
		want := []int{tc.base, tc.checkout, tc.app}
		for i, address := range []string{apart.base, apart.checkout, apart.app} {
			if response, _ := get(t, app, address, tc.path); response.StatusCode != want[i] {
				t.Errorf("%s%s: %d, want %d", address, tc.path, response.StatusCode, want[i])
			}
		}
		anywhere := min(tc.base, tc.checkout, tc.app) // the status at its own address
		if response, _ := get(t, one, together.base, tc.path); response.StatusCode != anywhere {
			t.Errorf("all at one address, %s: %d, want %d", tc.path, response.StatusCode, anywhere)
		}
		if response, _ := get(t, one, "http://203.0.113.7:9999", tc.path); response.StatusCode != anywhere {
			t.Errorf("all at one address, %s by another name: %d, want %d", tc.path, response.StatusCode, anywhere)
		}
	}
}

// Host names are compared in the form that browsers send: in any case, without the scheme's
// default port, and with any other port.
func TestHosts_Spelling(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	app := newSite(t, g, hosts{"https://API.example:443", "https://pay.example:8443", "http://app.example:80"})
	for host, want := range map[string]map[string]int{
		"api.example":          {"/v1/health": 200, "/entrar": 404},
		"API.EXAMPLE":          {"/v1/health": 200, "/entrar": 404},
		"api.example:8443":     {"/v1/health": 404},
		"app.example":          {"/v1/health": 404, "/entrar": 200},
		"pay.example:8443":     {"/pay/x": 404, "/entrar": 404, "/livez": 200},
		"unknown.example":      {"/v1/health": 404, "/entrar": 404, "/livez": 200, "/readyz": 200},
		"api.example.evil.net": {"/v1/health": 404},
	} {
		for path, status := range want {
			if response, _ := get(t, app, "http://"+host, path); response.StatusCode != status {
				t.Errorf("%s%s: %d, want %d", host, path, response.StatusCode, status)
			}
		}
	}
}

// Errors have the form of the surface that the path belongs to: JSON under /v1, a page
// elsewhere.
func TestHosts_Refusals(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	app := newSite(t, g, apart)
	for path, want := range map[string]string{"/v1/health": "application/json", "/entrar": "text/html; charset=utf-8",
		"/pay/x": "text/html; charset=utf-8"} {
		response, _ := get(t, app, "https://unknown.example", path)
		if got := response.Header.Get("Content-Type"); got != want || response.StatusCode != 404 {
			t.Errorf("%s: %d as %q, want %q", path, response.StatusCode, got, want)
		}
	}
}

// A process is alive in any state of its database, and ready when the database has this
// program's schema.
func TestReadiness(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	empty := unmigrated(t)
	half := unmigrated(t)
	if err := migrations.Up(t.Context(), half.Pool); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, half, `DELETE FROM river_migration
		WHERE version = (SELECT max(version) FROM river_migration)`)
	closed := unmigrated(t)
	closed.Close()
	for name, tc := range map[string]struct {
		db     *models.DB
		status int
		says   string
	}{
		"migrated":      {g.DB, 200, "ok\n"},
		"empty":         {empty, 503, "run garoupa migrate"},
		"queue missing": {half, 503, "run garoupa migrate"},
		"gone":          {closed, 503, "does not answer"},
	} {
		app := newSiteOn(t, g, tc.db, together)
		response, body := get(t, app, together.base, "/readyz")
		if response.StatusCode != tc.status || !strings.Contains(body, tc.says) {
			t.Errorf("%s: %d %q, want %d %q", name, response.StatusCode, body, tc.status, tc.says)
		}
		if response, body := get(t, app, together.base, "/livez"); response.StatusCode != 200 || body != "ok\n" {
			t.Errorf("%s: alive is %d %q", name, response.StatusCode, body)
		}
	}
	var tables int
	if err := empty.Pool.QueryRow(t.Context(),
		"SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&tables); err != nil ||
		tables != 0 {
		t.Errorf("the check created %d tables, %v", tables, err)
	}
}

// A malformed HTTP request gets an answer with a Request-Id, and the server goes on.
func TestMalformedHTTP(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	address := listen(t, newSite(t, g, together))
	for name, tc := range map[string]struct {
		raw    string
		status int
	}{
		"no HTTP": {"hello\r\n\r\n", 400},
		"headers without end": {"GET /v1/health HTTP/1.1\r\nHost: one.example\r\nX: " + strings.Repeat("x", 32<<10) +
			"\r\n\r\n", 400},
		"a length of no number": {"POST /v1/checkouts HTTP/1.1\r\nHost: one.example\r\nContent-Length: x\r\n\r\n", 400},
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		go io.WriteString(conn, tc.raw) // the server may close before it has read everything
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if response.StatusCode != tc.status || response.Header.Get("Request-Id") == "" {
			t.Errorf("%s: %d, Request-Id %q; want %d", name, response.StatusCode,
				response.Header.Get("Request-Id"), tc.status)
		}
		response.Body.Close()
		conn.Close()
	}
	response, err := http.Get("http://" + address + "/livez")
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("afterwards: %v, %v", response, err)
	}
	response.Body.Close()
}

func listen(t testing.TB, app *fiber.App) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(listener) }()
	t.Cleanup(func() {
		if err := errors.Join(app.Shutdown(), <-served); err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// A panic becomes a 500 in the form of its surface, and the next request is answered.
func TestPanic(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	app := newSite(t, g, together)
	broken := func(*fiber.Ctx) error { panic("postgres://user:hunter2@db") }
	app.Get("/v1/broken", broken)
	app.Get("/broken", broken)
	for path, media := range map[string]string{"/v1/broken": "application/json",
		"/broken": "text/html; charset=utf-8"} {
		response, body := get(t, app, together.base, path, "Request-Id", requestid.New())
		if response.StatusCode != 500 || response.Header.Get("Content-Type") != media ||
			strings.Contains(body, "hunter2") {
			t.Errorf("%s: %d as %s: %s", path, response.StatusCode, response.Header.Get("Content-Type"), body)
		}
		if id := response.Header.Get("Request-Id"); !strings.Contains(body, id) ||
			!strings.Contains(strings.Join(logged.of(id), "\n"), "ERROR") {
			t.Errorf("%s: the log of %s is %q", path, id, logged.of(id))
		}
	}
	if response, _ := get(t, app, together.base, "/livez"); response.StatusCode != 200 {
		t.Errorf("afterwards: %d", response.StatusCode)
	}
}

// Each request logs one line with its id, method, path, status and duration, and nothing of
// its content.
func TestLog(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	app := newSite(t, g, together)
	key := g.Key(t, g.Test, models.Permissions...)
	const query, header, member = "query-7c1f", "header-7c1f", "member-7c1f"
	for _, tc := range []struct {
		name, method, path, body string
		status                   string
	}{
		{"created", "POST", "/v1/checkouts", `{"amount":100,"description":"` + member +
			`","externalId":"x","customer":{"name":"` + member + `","phone":"99999-7771"}}`, "201"},
		{"malformed", "POST", "/v1/checkouts", `{"` + member, "400"},
		{"unknown member", "POST", "/v1/checkouts", `{"` + member + `":"99999-7771"}`, "400"},
		{"absent", "GET", "/v1/nothing", "", "404"},
		{"page", "GET", "/entrar", "", "200"},
		{"log in", "POST", "/entrar", "email=" + member + "@example.com&password=" + member, ""},
		{"absent page", "GET", "/nada", "", "404"},
	} {
		target := together.base + tc.path
		if tc.name != "created" { // a creation has no query parameters
			target += "?token=" + query
		}
		request := httptest.NewRequest(tc.method, target, strings.NewReader(tc.body))
		if strings.HasPrefix(tc.body, "email") {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		id := requestid.New() // the tests may run several times
		response, _ := send(t, app, request, "Request-Id", id, "Authorization", "Bearer "+key, "X-Note", header,
			"Cookie", "session="+header)
		lines := logged.of(id)
		text := strings.Join(lines, "\n")
		for _, secret := range []string{key, key[9:], query, header, member, "99999"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: the log contains %q: %s", tc.name, secret, text)
			}
		}
		summary := "INFO request method=" + tc.method + " path=" + tc.path + " status=" + tc.status
		if n := strings.Count(text, "INFO request "); n != 1 || !strings.Contains(text, summary) ||
			!strings.Contains(text, " ms=") {
			t.Errorf("%s answered %d, logged %q; want %q once", tc.name, response.StatusCode, lines, summary)
		}
	}
}

// A request is logged once, under the id of its answer, which is the client's or a new one.
func TestRequestID(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	app := newSite(t, g, together)
	mine := requestid.New()
	for _, sent := range []string{"", mine, "not mine", strings.Repeat("x", 129)} {
		response, _ := get(t, app, together.base, "/v1/health", "Request-Id", sent)
		id := response.Header.Get("Request-Id")
		if (id == sent) != (sent == mine) || strings.Count(strings.Join(logged.of(id), "\n"), "INFO request ") != 1 {
			t.Errorf("sent %.20q: answered %q, logged %q", sent, id, logged.of(id))
		}
	}
}
