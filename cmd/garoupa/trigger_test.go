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

// trigger also makes the events that endpoints choose, with values of the developer.
func TestTrigger_Optional(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.demo().Keys.Test
	p.serve()
	trigger := func(args ...string) (id string) {
		t.Helper()
		id, _, _ = strings.Cut(p.run(append([]string{"trigger", "--server", p.url, "--key", key}, args...)...), " ")
		return id
	}
	db, _ := p.open()
	id := trigger("checkout.cancelled", "--amount", "123", "--external-id", "order-7", "--description", "Camisa")
	var amount int64
	var externalID, description string
	if err := db.Pool.QueryRow(t.Context(), `SELECT amount, external_id, description FROM checkouts WHERE id = $1`,
		id).Scan(&amount, &externalID, &description); err != nil || amount != 123 || externalID != "order-7" ||
		description != "Camisa" || p.status(key, id) != "CANCELLED" {
		t.Errorf("cancelled: %d, %q, %q, %v", amount, externalID, description, err)
	}
	wrong(t, p, "may not refund", "trigger", "checkout.refunded", "--server", p.url, "--key", key)
	if _, err := db.Pool.Exec(t.Context(), `UPDATE api_keys SET refunds = true WHERE NOT livemode`); err != nil {
		t.Fatal(err)
	}
	p.until("the key may refund", func() bool { // keys are cached for a moment
		r := p.try("trigger", "checkout.refunded", "--server", p.url, "--key", key)
		id, _, _ = strings.Cut(r.out, " ")
		return r.status == 0
	})
	var refunds int
	if err := db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM refunds r JOIN payments p ON p.id = r.payment_id
		WHERE p.checkout_id = $1`, id).Scan(&refunds); err != nil || refunds != 1 {
		t.Errorf("%d refunds, %v", refunds, err)
	}
	wrong(t, p, "withdrawal.created exists in live only", "trigger", "withdrawal.created", "--key", key)
	for command, argument := range map[string]string{
		"trigger": "checkout.created|checkout.paid|checkout.expired|checkout.cancelled|checkout.refunded",
		"verify":  "<body.json>|-"} {
		if r := p.try(command, "--help"); r.status != 0 ||
			!strings.Contains(r.out+r.wrong, "usage: garoupa "+command+" [flags] "+argument+"\n") {
			t.Errorf("%s --help: %+v", command, r)
		}
	}
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
