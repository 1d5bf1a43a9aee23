package api_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"garoupa/payments/paymentstest"
)

// reply is a kind of answer: a request and its expected status.
type reply struct {
	name, address, method, path, body string
	headers                           []string
	status                            int
}

func (s *site) replies(t *testing.T) []reply {
	t.Helper()
	key := []string{"Authorization", "Bearer " + s.key}
	return []reply{
		{"health", baseURL, "GET", "/v1/health", "", nil, 200},
		{"created", baseURL, "POST", "/v1/checkouts", with(), key, 201},
		{"read", baseURL, "GET", "/v1/checkouts/" + s.pending(t).ID, "", key, 200},
		{"list", baseURL, "GET", "/v1/checkouts", "", key, 200},
		{"no such endpoint", baseURL, "GET", "/v1/nothing", "", key, 404},
		{"no such checkout", baseURL, "GET", "/v1/checkouts/x", "", key, 404},
		{"another method", baseURL, "DELETE", "/v1/checkouts", "", key, 405},
		{"malformed", baseURL, "POST", "/v1/checkouts", "{", key, 400},
		{"no key", baseURL, "POST", "/v1/checkouts", with(), nil, 401},
		{"too large", baseURL, "POST", "/v1/checkouts", strings.Repeat(" ", 128<<10+1), key, 413},
		{"another media type", baseURL, "POST", "/v1/checkouts", with(),
			append([]string{"Content-Type", "text/plain"}, key...), 415},
		{"out of range", baseURL, "POST", "/v1/checkouts", with("expiresIn", "1"), key, 422},
		{"alive", baseURL, "GET", "/livez", "", nil, 200},
		{"ready", baseURL, "GET", "/readyz", "", nil, 200},
		{"a page", appURL, "GET", "/entrar", "", nil, 200},
		{"a page that is not there", appURL, "GET", "/nada", "", nil, 404},
		{"a redirection", appURL, "GET", "/", "", nil, 303},
		{"a buyer's page", paymentstest.CheckoutURL, "GET", "/pay/" + s.pending(t).ID, "", nil, 200},
		{"a buyer's page that is not there", paymentstest.CheckoutURL, "GET", "/pay/x", "", nil, 404},
		{"another address's path", paymentstest.CheckoutURL, "GET", "/v1/health", "", nil, 404},
		{"a file that is not there", appURL, "GET", "/static/nada", "", nil, 404},
	}
}

var generated = regexp.MustCompile(`^req_[0-9a-f]{24}$`)

// Every answer has a Request-Id: the client's if it is valid, otherwise a new one (contract 5;
// docs/rules.md, "Order of checks").
func TestRequestID(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	longest := strings.Repeat("x", 128)
	for _, r := range s.replies(t) {
		seen := map[string]bool{}
		for _, tc := range []struct {
			name    string
			headers []string
			want    string // "" for a new one
		}{
			{"none", nil, ""},
			{"Request-Id", []string{"Request-Id", "aZ09._:-"}, "aZ09._:-"},
			{"X-Request-Id", []string{"X-Request-Id", "from-proxy"}, "from-proxy"},
			{"both", []string{"X-Request-Id", "b", "Request-Id", "a"}, "a"},
			{"the first unusable", []string{"Request-Id", "a b", "X-Request-Id", "b"}, "b"},
			{"of 128 characters", []string{"Request-Id", longest}, longest},
			{"of 129 characters", []string{"Request-Id", longest + "x"}, ""},
			{"empty", []string{"Request-Id", "", "X-Request-Id", ""}, ""},
			{"with a space", []string{"Request-Id", "a b"}, ""},
			{"with markup", []string{"Request-Id", "<script>"}, ""},
			{"with a letter of two bytes", []string{"Request-Id", "ã"}, ""},
		} {
			a := s.sendTo(t, r.address, r.method, r.path, r.body, append(slices.Clone(r.headers), tc.headers...)...)
			got := a.header.Values("Request-Id")
			if a.status != r.status || len(got) != 1 || tc.want != "" && got[0] != tc.want ||
				tc.want == "" && (!generated.MatchString(got[0]) || seen[got[0]]) {
				t.Errorf("%s, %s: %d with the Request-Id %q; want %d, %q", r.name, tc.name, a.status, got,
					r.status, tc.want)
				continue
			}
			seen[got[0]] = true
			if r.status >= 400 && strings.HasPrefix(r.path, "/v1") {
				a.fault(t) // also checks the envelope's requestId
			}
		}
	}
}

// Unknown paths are 404, and known paths with another method are 405 with Allow, before
// any other check (docs/rules.md, "Order of checks").
func TestRoutes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, tc := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/v1", 404, ""},
		{"GET", "/v1/", 404, ""},
		{"GET", "/v1/checkout", 404, ""},
		{"GET", "/V1/checkouts", 404, ""},
		{"GET", "/v1/Checkouts", 404, ""},
		{"GET", "/v2/checkouts", 404, ""},
		{"POST", "/v1/checkouts/x/pay", 404, ""},
		{"GET", "/v1/checkouts/x/y", 404, ""},
		{"PUT", "/v1/checkouts", 405, "GET, HEAD, POST"},
		{"DELETE", "/v1/checkouts", 405, "GET, HEAD, POST"},
		{"PATCH", "/v1/checkouts/x", 405, "GET, HEAD"},
		{"POST", "/v1/checkouts/chk_00000000000000000000", 405, "GET, HEAD"},
		{"POST", "/v1/health", 405, "GET, HEAD"},
		{"OPTIONS", "/v1/health", 405, "GET, HEAD"},
	} {
		a := s.send(t, tc.method, tc.path, "{", "Content-Type", "text/plain")
		allow := strings.Split(a.header.Get("Allow"), ", ")
		slices.Sort(allow)
		if a.status != tc.status || strings.Join(allow, ", ") != tc.allow {
			t.Errorf("%s %s: %d, Allow %v; want %d, %s", tc.method, tc.path, a.status, allow, tc.status, tc.allow)
		}
		if code := map[int]string{404: "not_found", 405: "method_not_allowed"}[tc.status]; strings.HasPrefix(tc.path,
			"/v1") && !a.refused(t, tc.status, code) {
			t.Errorf("%s %s: %s", tc.method, tc.path, a.body)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.send(t, "GET", "/v1/health", "")
	if a.status != 200 || a.header.Get("Content-Type") != "application/json" ||
		a.body != `{"status":"ok","version":"1.0.0"}` {
		t.Errorf("got %d %s %s", a.status, a.header.Get("Content-Type"), a.body)
	}
	if a := s.send(t, "HEAD", "/v1/health", ""); a.status != 200 || a.body != "" {
		t.Errorf("HEAD: %d %q", a.status, a.body)
	}
}
