package main

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"garoupa/internal/server/servertest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
)

// also returns the program on an address of its own, over the same database.
func (p *program) also() *program {
	p.t.Helper()
	address := servertest.Address(p.t)
	other := *p
	other.url = "http://" + address
	other.env = append(p.env[:len(p.env):len(p.env)], "GAROUPA_LISTEN="+address)
	return &other
}

// A web process alone creates charges, and leaves deliveries and expiry alone; a jobs process does both when it
// comes, and answers nothing but its probes.
func TestServe_Roles(t *testing.T) {
	t.Parallel()
	s := newShop(t, 1, func(w http.ResponseWriter, _ *http.Request, _ parcel, _ int) {})
	web := s.serve("-web")
	due, _, err := s.payments.CreateCheckout(t.Context(), s.scope, s.account, payments.NewCheckout{Amount: 10_00,
		Description: "Vaso", ExternalID: "due", Metadata: []byte("{}"), ExpiresIn: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if status, answer := s.call(http.MethodPost, "/v1/checkouts",
		`{"amount":4990,"description":"Vaso","externalId":"paid"}`, ""); status != http.StatusCreated {
		t.Fatalf("created: %d %s", status, answer)
	}
	// A process that swept would have done so six times by now, and have looked for deliveries twelve times.
	s.until("the charge is three seconds overdue", func() bool {
		return modelstest.One[bool](t, s.db.DB, fmt.Sprintf(
			"SELECT clock_timestamp() > expires_at + interval '3 seconds' FROM checkouts WHERE id = '%s'", due.ID))
	})
	status := func() string {
		return modelstest.One[string](t, s.db.DB, fmt.Sprintf("SELECT status FROM checkouts WHERE id = '%s'", due.ID))
	}
	if got := status(); got != "PENDING" || len(s.seen()) > 0 {
		t.Errorf("with a web process alone: the charge is %s, %d posts", got, len(s.seen()))
	}

	worker := s.also()
	jobs := worker.serve("-jobs")
	s.until("the charge expires", func() bool { return status() == "EXPIRED" })
	for parcel, fate := range s.settled() {
		if fate.status != models.DeliveryDelivered {
			t.Errorf("%v is %s", parcel, fate.status)
		}
	}
	for path, want := range map[string]int{
		"/livez": 200, "/readyz": 200, "/v1/checkouts": 404, "/entrar": 404, "/": 404,
	} {
		answer, err := http.Get(worker.url + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s of a jobs process is %d, want %d", path, answer.StatusCode, want)
		}
	}
	if probe := worker.try("serve", "-probe"); probe.status != 0 {
		t.Errorf("the probe of a jobs process: %d %s", probe.status, probe.wrong)
	}
	s.stop(web, syscall.SIGTERM)
	worker.stop(jobs, syscall.SIGTERM)
}

// What a web process counts is stored while it runs.
func TestServe_WebCounts(t *testing.T) {
	t.Parallel()
	s := newShop(t, 0, func(http.ResponseWriter, *http.Request, parcel, int) {})
	s.serve("-web")
	request, err := http.NewRequest(http.MethodGet, s.url+"/l/"+s.link("k"), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Mode", "navigate")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the link is %d", answer.StatusCode)
	}
	s.until("the visit is stored", func() bool {
		return modelstest.One[int](t, s.db.DB, "SELECT coalesce(sum(visits), 0)::int FROM payment_link_days") == 1
	})
}

// Two roles at once, and a role over the database of the program itself, end with one line.
func TestServe_WrongRoles(t *testing.T) {
	t.Parallel()
	p := newProgramOver(t, "DATABASE_URL=postgres://nobody@127.0.0.1:1/none")
	if r := p.try("serve", "-web", "-jobs"); r.status != 1 || !strings.Contains(r.wrong, "-web and -jobs exclude") {
		t.Errorf("two roles: %d %s", r.status, r.wrong)
	}
	p = newProgramOver(t, "DATABASE_URL=")
	for _, flag := range []string{"-web", "-jobs"} {
		if r := p.try("serve", flag); r.status != 1 || !strings.Contains(r.wrong, "need DATABASE_URL") {
			t.Errorf("%s without a database: %d %s", flag, r.status, r.wrong)
		}
	}
}
