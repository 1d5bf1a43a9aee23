package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
)

func period(endpointID string, from, to time.Time, more string) string {
	return fmt.Sprintf(`{"endpointId":%q,"from":%q,"to":%q%s}`, endpointID, from.Format(time.RFC3339Nano),
		to.Format(time.RFC3339Nano), more)
}

func (s *site) standing(t testing.TB, events ...told) (all []string) {
	t.Helper()
	for _, e := range events {
		all = append(all, modelstest.One[string](t, s.DB, "SELECT status FROM webhook_deliveries WHERE id = $1",
			e.delivery))
	}
	return all
}

func queued(t testing.TB, a answer) (n int, next *time.Time) {
	t.Helper()
	var done struct {
		Queued   int
		NextFrom *time.Time
	}
	if err := json.Unmarshal([]byte(a.body), &done); err != nil || a.status != 200 {
		t.Errorf("a replay answered %d %s", a.status, a.body)
	}
	return done.Queued, done.NextFrom
}

// A replay takes what is FAILED or SKIPPED in its period, or what is DELIVERED too, and never what is pending.
func TestReplayEvents(t *testing.T) {
	t.Parallel()
	s, key := recovering(t)
	e, _ := s.Endpoint(t, "http://127.0.0.1/hook")
	statuses := []string{"FAILED", "FAILED", "SKIPPED", "DELIVERED", "PENDING", "RETRYING", "FAILED"}
	var all []told
	for _, status := range statuses {
		all = append(all, s.tell(t, e.ID, status))
	}
	inside := func(more string) string { return period(e.ID, all[1].at, all[6].at, more) }
	for _, step := range []struct {
		name, key, body string
		n               int
		want            []string
	}{
		{"undelivered", "a", inside(""), 2, []string{"FAILED", "PENDING", "PENDING", "DELIVERED", "PENDING", "PENDING",
			"FAILED"}},
		{"repeated", "a", inside(""), 0, []string{"FAILED", "PENDING", "PENDING", "DELIVERED", "PENDING", "PENDING",
			"FAILED"}},
		{"all", "b", inside(`,"only":"all"`), 1, []string{"FAILED", "PENDING", "PENDING", "PENDING", "PENDING",
			"PENDING", "FAILED"}},
	} {
		before := s.replayed(t)
		n, next := queued(t, s.post(t, key, "replay", step.key, step.body))
		if n != step.n || next != nil || s.replayed(t) != before+n {
			t.Errorf("%s: %d queued, %d pending, %v; want %d", step.name, n, s.replayed(t)-before, next, step.n)
		}
		if diff := cmp.Diff(step.want, s.standing(t, all...)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", step.name, diff)
		}
	}
	if by := modelstest.One[string](t, s.DB, `SELECT actor FROM audit_log
		WHERE action = 'webhook_endpoint.replayed' AND detail->>'delivered' = 'true'`); !strings.HasPrefix(by, "key_") {
		t.Errorf("the audit log names %q", by)
	}
}

// A repeated request sends nothing twice that was delivered since; a new one does.
func TestReplayEvents_Repeated(t *testing.T) {
	t.Parallel()
	s, key := recovering(t)
	e, _ := s.Endpoint(t, "http://127.0.0.1/hook")
	one, two := s.tell(t, e.ID, "DELIVERED"), s.tell(t, e.ID, "FAILED")
	s.Clock.Advance(time.Minute)
	body := period(e.ID, one.at, s.Clock.Now(), `,"only":"all"`)
	if n, _ := queued(t, s.post(t, key, "replay", "a", body)); n != 2 {
		t.Fatalf("%d queued", n)
	}
	s.Clock.Advance(time.Minute)
	s.stand(t, one.delivery, "DELIVERED")
	s.stand(t, two.delivery, "FAILED")
	if n, _ := queued(t, s.post(t, key, "replay", "a", body)); n != 0 || s.replayed(t) != 0 {
		t.Errorf("the repeated request queued %d", n)
	}
	if a := s.post(t, key, "replay", "a", period(e.ID, one.at, s.Clock.Now(), "")); !a.refused(t, 409,
		"idempotency_conflict") {
		t.Errorf("another body: %d %s", a.status, a.body)
	}
	if n, _ := queued(t, s.post(t, key, "replay", "b", body)); n != 2 {
		t.Errorf("another request queued %d", n)
	}
}

// Two replays at once send each delivery once, with one key or two.
func TestReplayEvents_Concurrent(t *testing.T) {
	t.Parallel()
	s, key := recovering(t)
	e, _ := s.Endpoint(t, "http://127.0.0.1/hook")
	first := s.tell(t, e.ID, "DELIVERED")
	for range 9 {
		s.tell(t, e.ID, "DELIVERED")
	}
	body := period(e.ID, first.at, s.Clock.Now().Add(time.Hour), `,"only":"all"`)
	var group errgroup.Group
	counts := make([]int, 6)
	for i := range counts {
		group.Go(func() error {
			counts[i], _ = queued(t, s.post(t, key, "replay", fmt.Sprint(i/2), body))
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, n := range counts {
		sum += n
	}
	if sum != 10 || s.replayed(t) != 10 {
		t.Errorf("queued %v, %d pending; want 10", counts, s.replayed(t))
	}
}

// A replay takes MaxReplay at most and says from when the next one goes on, which takes the rest.
func TestReplayEvents_More(t *testing.T) {
	t.Parallel()
	s, key := recovering(t)
	e, _ := s.Endpoint(t, "http://127.0.0.1/hook")
	from := s.Clock.Now()
	modelstest.Exec(t, s.DB, `WITH v AS (INSERT INTO events (id, project_id, livemode, type, body, created_at)
			SELECT 'evt_' || left(md5(i::text), 24), $1, false, 'checkout.paid', '{}',
				$2::timestamptz + i * interval '1 millisecond' FROM generate_series(0, $3 - 1) AS i
			RETURNING id, created_at)
		INSERT INTO webhook_deliveries (id, event_id, endpoint_id, status, attempts, created_at, finished_at)
		SELECT 'dlv_' || left(md5(id), 24), id, $4, 'DELIVERED', 1, created_at, created_at FROM v`,
		s.Test.ProjectID, from, payments.MaxReplay+3, e.ID)
	s.Clock.Advance(time.Minute)
	n, next := queued(t, s.post(t, key, "replay", "a", period(e.ID, from, s.Clock.Now(), `,"only":"all"`)))
	if n != payments.MaxReplay || next == nil || !next.Equal(from.Add(payments.MaxReplay*time.Millisecond)) {
		t.Fatalf("queued %d, the next from %v", n, next)
	}
	// What a worker delivers meanwhile is not taken in place of the rest.
	modelstest.Exec(t, s.DB, `UPDATE webhook_deliveries
		SET status = 'DELIVERED', finished_at = $1, next_attempt_at = NULL WHERE status = 'PENDING'`, s.Clock.Now())
	n, next = queued(t, s.post(t, key, "replay", "b", period(e.ID, *next, s.Clock.Now(), `,"only":"all"`)))
	if n != 3 || next != nil {
		t.Errorf("the next one queued %d, the next from %v", n, next)
	}
}

// A replay that cannot be read is refused, and leaves its key free.
func TestReplayEvents_Refused(t *testing.T) {
	t.Parallel()
	s, key := recovering(t)
	e, _ := s.Endpoint(t, "http://127.0.0.1/hook")
	at := s.Clock.Now()
	for body, want := range map[string]string{
		"": "400 invalid_request_body", "{": "400 invalid_request_body", "{}": "400 invalid_request_body",
		`{"endpointId":"` + e.ID + `"}`:                           "400 invalid_request_body",
		`{"endpointId":"` + e.ID + `","from":"x","to":"y"}`:       "400 invalid_request_body",
		`{"endpointId":"` + e.ID + `","from":1,"to":2}`:           "400 invalid_request_body",
		period(e.ID, at, at, ""):                                  "400 invalid_request_body",
		period(e.ID, at, at.Add(-time.Hour), ""):                  "400 invalid_request_body",
		period(e.ID, at, at.Add(time.Hour), `,"only":"failed"`):   "400 invalid_request_body",
		period(e.ID, at, at.Add(time.Hour), `,"since":"1h"`):      "400 invalid_request_body",
		period("we_0", at, at.Add(time.Hour), ""):                 "404 webhook_endpoint_not_found",
		period(models.NewEndpointID(), at, at.Add(time.Hour), ""): "404 webhook_endpoint_not_found",
	} {
		a := s.post(t, key, "replay", "k", body)
		if got := fmt.Sprint(a.status, " ", a.fault(t).Error.Code); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	good := period(e.ID, at, at.Add(time.Hour), `,"only":null`)
	if a := s.post(t, key, "replay", "", good); !a.refused(t, 400, "idempotency_key_required") {
		t.Errorf("without a key: %d %s", a.status, a.body)
	}
	turn := func(active bool) {
		if err := s.Merchants.SwitchEndpoint(t.Context(), s.Owner, s.Test, e.ID, active); err != nil {
			t.Fatal(err)
		}
	}
	turn(false)
	if a := s.post(t, key, "replay", "k", good); !a.refused(t, 409, "webhook_endpoint_disabled") {
		t.Errorf("to a disabled endpoint: %d %s", a.status, a.body)
	}
	turn(true)
	if n, _ := queued(t, s.post(t, key, "replay", "k", good)); n != 0 {
		t.Errorf("%d queued", n)
	}
}

// callEvents reads events and has them sent again.
func (d *described) callEvents(t *testing.T) {
	t.Helper()
	key := d.Key(t, d.Test, models.PermissionBalanceRead)
	modelstest.Exec(t, d.DB, "UPDATE api_keys SET events = true WHERE last4 = $1", key[len(key)-4:])
	e, _ := d.Endpoint(t, "http://127.0.0.1/hook")
	event := d.tell(t, e.ID, "FAILED")
	call := func(path, idempotency, body string) {
		d.call(t, "POST", "/v1/events/"+path, body, as(key, "Content-Type", "application/json", "Idempotency-Key",
			idempotency)...)
	}
	d.call(t, "GET", "/v1/events", "", as(key)...)
	d.call(t, "GET", "/v1/events?type=checkout.refunded&delivered=true", "", as(key)...)
	d.call(t, "GET", "/v1/events?createdFrom=2020-01-01T00:00:00Z&delivered=false&checkoutId="+event.checkout, "",
		as(key)...)
	d.call(t, "GET", "/v1/events?limit=0", "", as(key)...)
	d.call(t, "GET", "/v1/events/"+event.id, "", as(key)...)
	d.call(t, "GET", "/v1/events/evt_0", "", as(key)...)
	d.call(t, "GET", "/v1/events/evt_0?page=2", "", as(key)...)
	resend, replay := event.id+"/resend", period(e.ID, event.at, event.at.Add(time.Hour), "")
	call(resend, "a", "")
	call(resend, "a", `{"endpointId":"`+e.ID+`"}`)
	call(resend, "b", `{"endpointId":"we_0"}`)
	call(resend, "b", `{"endpointId":7}`)
	call("evt_0/resend", "b", "")
	d.call(t, "POST", "/v1/events/"+resend, "", as(key)...)
	call("replay", "a", replay)
	call("replay", "a", period(e.ID, event.at, event.at.Add(time.Minute), ""))
	call("replay", "b", period("we_0", event.at, event.at.Add(time.Minute), ""))
	call("replay", "b", "{}")
	d.call(t, "POST", "/v1/events/replay", replay, as(key)...)
	if err := d.Merchants.SwitchEndpoint(t.Context(), d.Owner, d.Test, e.ID, false); err != nil {
		t.Fatal(err)
	}
	call("replay", "b", replay)
}
