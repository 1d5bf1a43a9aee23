package dashboard_test

import (
	"bufio"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// pulses opens a stream as the client, and returns a function that reads the data of its next event.
func pulses(t *testing.T, c *webtest.Client, path string) (next func() string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.Base+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.HTTP.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != http.StatusOK || answer.Uncompressed {
		t.Fatalf("%s: %d", path, answer.StatusCode)
	}
	lines := bufio.NewScanner(answer.Body)
	return func() string {
		t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		t.Fatalf("%s ended: %v", path, lines.Err())
		return ""
	}
}

// The pages that follow what is new are marked with what they show. The stream begins with the same mark, and
// tells of each new charge and payment of its environment.
func TestPulse(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	checkout := s.Checkout(t, payments.NewCheckout{})
	marks := map[string]string{}
	for _, path := range []string{"/app", "/app/cobrancas", "/app/saldo", "/app/eventos"} {
		main := c.Get(path).Find(`main[data-pulse="/app/pulso/events"]`)
		marks[path] = main.AttrOr("data-mark", "")
		if !strings.HasPrefix(marks[path], "evt_") || marks[path] != marks["/app"] {
			t.Errorf("%s is marked %q, and /app %q", path, marks[path], marks["/app"])
		}
	}
	for _, path := range []string{"/app/cobrancas?q=vaso", "/app/eventos?q=vaso"} { // each event would search again
		if c.Get(path).Find("main[data-pulse]").Length() != 0 {
			t.Errorf("%s follows", path)
		}
	}
	next := pulses(t, c, "/app/pulso/events")
	seen := map[string]bool{}
	if first := next(); first != marks["/app"] {
		t.Errorf("the first event says %q, the page %q", first, marks["/app"])
	} else {
		seen[first] = true
	}
	for what, change := range map[string]func(){
		"a payment": func() {
			if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
				t.Fatal(err)
			}
		},
		"a charge": func() { s.Checkout(t, payments.NewCheckout{}) },
	} {
		change()
		if mark := next(); seen[mark] {
			t.Errorf("%s: the mark is %q again", what, mark)
		} else {
			seen[mark] = true
		}
	}
	if a := s.Client(t).Get("/app/pulso/events"); a.Status != http.StatusSeeOther {
		t.Errorf("a stranger: %d", a.Status)
	}
}

// What an open page asks for by itself is no visit: the session ends as if the page were closed, and the message
// about a form stays for the page that the person opens.
func TestPulse_NoVisit(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	open := s.Member(t)
	open.Dest = "empty"
	c.Post("/app/cobrancas/" + s.Checkout(t, payments.NewCheckout{}).ID + "/cancelar")
	for _, dest := range []string{"empty", "document"} {
		c.Dest = dest
		if shown := c.Get("/app").Find("[data-flash]").Length(); (shown == 1) != (dest == "document") {
			t.Errorf("a request for %s shows the message %d times", dest, shown)
		}
	}
	for range 2 { // the sessions end 72 hours after the last visit
		s.Clock.Advance(40 * time.Hour)
		c.Get("/app")
		for !modelstest.One[bool](t, s.DB, "SELECT max(last_seen_at) = $1 FROM sessions", s.Clock.Now()) {
			runtime.Gosched() // a visit is stored after its answer
		}
		open.Get("/app")
	}
	if a := c.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("a visitor: %d", a.Status)
	}
	if a := open.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("an open page keeps its session: %d", a.Status)
	}
}
