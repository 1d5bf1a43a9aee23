package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// trigger creates the checkout of the event through the API, and prints its address.
func TestTrigger(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	keys := p.demo().Keys
	p.serve()
	for event, want := range map[string]string{"checkout.created": "PENDING", "checkout.paid": "PAID",
		"checkout.expired": "EXPIRED"} {
		out := p.run("trigger", event, "--key", keys.Test, "--server", p.url+"/")
		id, address, _ := strings.Cut(strings.TrimSuffix(out, "\n"), " ")
		if status := p.status(keys.Test, id); status != want || !strings.HasSuffix(address, "/pay/"+id) {
			t.Errorf("%s printed %q; the checkout is %s, want %s", event, out, status, want)
		}
	}
	with := &program{t: t, env: append(p.env[:len(p.env):len(p.env)], "GAROUPA_API_KEY="+keys.Test,
		"GAROUPA_BASE_URL="+p.url)}
	if out := with.run("trigger", "checkout.created"); !strings.HasPrefix(out, "chk_") {
		t.Errorf("with the environment's key and address it printed %q", out)
	}

	wrong(t, p, `"checkout.lost" is none of checkout.created, checkout.paid`, "trigger", "checkout.lost",
		"--key", keys.Test)
	wrong(t, p, "must be a test key", "trigger", "checkout.paid")
	wrong(t, p, "must be a test key", "trigger", "checkout.paid", "--key", keys.Live)
	wrong(t, p, "401 unauthorized, req_", "trigger", "checkout.paid", "--key", "svc_test_"+strings.Repeat("0", 32),
		"--server", p.url)
	wrong(t, p, "lacks the permission CHECKOUT:CREATE", "trigger", "checkout.paid", "--key", keys.TestReadOnly,
		"--server", p.url)
	wrong(t, p, "cannot be reached", "trigger", "checkout.paid", "--key", keys.Test, "--server", "http://127.0.0.1:1")
	wrong(t, p, "--server: must be http(s)://host", "trigger", "checkout.paid", "--key", keys.Test, "--server",
		"localhost:8080")
}

// status reads the status of a checkout.
func (p *program) status(key, id string) string {
	p.t.Helper()
	request, err := http.NewRequest(http.MethodGet, p.url+"/v1/checkouts/"+id, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	var checkout struct{ Status string }
	if err := json.NewDecoder(response.Body).Decode(&checkout); err != nil {
		p.t.Fatal(err)
	}
	return checkout.Status
}
