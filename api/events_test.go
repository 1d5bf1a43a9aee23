package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
)

// recovering returns a site with a test key that may read events and has no permission for them.
func recovering(t *testing.T) (s *site, key string) {
	t.Helper()
	s = newSite(t)
	key = s.Key(t, s.Test, models.PermissionBalanceRead)
	modelstest.Exec(t, s.DB, "UPDATE api_keys SET events = true")
	return s, key
}

// told is an event of a new test checkout.
type told struct {
	id, checkout, delivery string
	at                     time.Time
}

// tell makes a checkout a second after the last one, whose delivery to the endpoint then stands as given.
func (s *site) tell(t testing.TB, endpointID, status string) told {
	t.Helper()
	s.Clock.Advance(time.Second)
	e := told{checkout: s.Checkout(t, payments.NewCheckout{}).ID, at: s.Clock.Now()}
	e.id = modelstest.One[string](t, s.DB, "SELECT id FROM events WHERE checkout_id = $1", e.checkout)
	if endpointID != "" {
		e.delivery = modelstest.One[string](t, s.DB, `SELECT id FROM webhook_deliveries
			WHERE event_id = $1 AND endpoint_id = $2`, e.id, endpointID)
		s.stand(t, e.delivery, status)
	}
	return e
}

// stand writes how a delivery stands; "RETRYING" is pending after an attempt.
func (s *site) stand(t testing.TB, id, status string) {
	t.Helper()
	modelstest.Exec(t, s.DB, `UPDATE webhook_deliveries SET priority = 2,
		status = CASE $2 WHEN 'RETRYING' THEN 'PENDING' ELSE $2 END,
		attempts = CASE WHEN $2 IN ('PENDING', 'SKIPPED') THEN 0 ELSE 1 END,
		finished_at = CASE WHEN $2 NOT IN ('PENDING', 'RETRYING') THEN $3::timestamptz END,
		next_attempt_at = CASE WHEN $2 IN ('PENDING', 'RETRYING') THEN $3::timestamptz END WHERE id = $1`, id, status,
		s.Clock.Now())
}

func (s *site) eventIDs(t testing.TB, key, query string) (ids []string, next string) {
	t.Helper()
	a := s.send(t, "GET", "/v1/events?"+query, "", as(key)...)
	var page struct {
		Data       []struct{ ID string }
		NextCursor string
	}
	if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != 200 {
		t.Fatalf("%s: %d %s", query, a.status, a.body)
	}
	for _, e := range page.Data {
		ids = append(ids, e.ID)
	}
	return ids, page.NextCursor
}

func (s *site) post(t testing.TB, key, path, idempotency, body string) answer {
	t.Helper()
	return s.send(t, "POST", "/v1/events/"+path, body, as(key, "Content-Type", "application/json", "Idempotency-Key",
		idempotency)...)
}

// resends counts the attempts that were asked for and are not made.
func (s *site) resends(t testing.TB) int {
	t.Helper()
	return modelstest.One[int](t, s.DB, "SELECT count(*)::int FROM webhook_resends WHERE finished_at IS NULL")
}

// replayed counts the deliveries that wait because of a replay.
func (s *site) replayed(t testing.TB) int {
	t.Helper()
	return modelstest.One[int](t, s.DB,
		"SELECT count(*)::int FROM webhook_deliveries WHERE status = 'PENDING' AND priority = 3")
}

// The list narrows by each filter, newest first; its items are what webhooks send, byte for byte.
func TestListEvents(t *testing.T) {
	t.Parallel()
	s, key := recovering(t)
	e, _ := s.Endpoint(t, "http://127.0.0.1/hook")
	var all []told
	for _, status := range []string{"DELIVERED", "FAILED", "SKIPPED", "RETRYING", "PENDING"} {
		all = append(all, s.tell(t, e.ID, status))
	}
	if _, err := s.SendTestEvent(t.Context(), s.Owner, s.Test, e.ID, models.EventCheckoutCreated, "x"); err != nil {
		t.Fatal(err) // which no list has
	}
	ids := func(places ...int) (ids []string) {
		for _, place := range places {
			ids = append(ids, all[place].id)
		}
		return ids
	}
	at := func(place int) string { return url.QueryEscape(all[place].at.Format(time.RFC3339Nano)) }
	elsewhere := url.QueryEscape(all[2].at.In(time.FixedZone("", -3*3600)).Format(time.RFC3339Nano))
	for query, want := range map[string][]string{
		"": ids(4, 3, 2, 1, 0), "limit=2": ids(4, 3), "delivered=false": ids(3, 2, 1), "delivered=true": ids(4, 0),
		"type=checkout.created": ids(4, 3, 2, 1, 0), "type=checkout.paid": nil,
		"checkoutId=" + all[2].checkout: ids(2), "checkoutId=chk_other": nil,
		"createdFrom=" + at(2): ids(4, 3, 2), "createdTo=" + at(2): ids(1, 0),
		"createdFrom=" + elsewhere + "&createdTo=" + at(3):   ids(2),
		"createdFrom=" + at(2) + "&delivered=false":          ids(3, 2),
		"createdTo=" + at(3) + "&delivered=false":            ids(2, 1),
		"createdTo=" + at(3) + "&delivered=true":             ids(0),
		"checkoutId=" + all[1].checkout + "&delivered=false": ids(1),
		"checkoutId=" + all[1].checkout + "&delivered=true":  nil,
	} {
		got, _ := s.eventIDs(t, key, query)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", query, diff)
		}
	}
	for _, filter := range []string{"", "&delivered=false", "&delivered=true"} {
		whole, _ := s.eventIDs(t, key, "limit=100"+filter)
		var paged []string
		for cursor := ""; ; {
			ids, next := s.eventIDs(t, key, "limit=1"+filter+cursor)
			if paged = append(paged, ids...); next == "" {
				break
			}
			cursor = "&cursor=" + next
		}
		if diff := cmp.Diff(whole, paged); diff != "" {
			t.Errorf("pages of one%s (-want +got)\n%s", filter, diff)
		}
	}
	sent := modelstest.One[[]byte](t, s.DB, "SELECT body FROM events WHERE id = $1", all[0].id)
	a := s.send(t, "GET", "/v1/events?checkoutId="+all[0].checkout, "", as(key)...)
	if want := `{"data":[` + string(sent) + `],"nextCursor":null}`; a.body != want {
		t.Errorf("the list is %s, want %s", a.body, want)
	}
	if err := s.Merchants.DeleteEndpoint(t.Context(), s.Owner, s.Test, e.ID); err != nil {
		t.Fatal(err)
	}
	if ids, _ := s.eventIDs(t, key, "delivered=false"); len(ids) != 0 {
		t.Errorf("deliveries to a deleted endpoint count: %v", ids)
	}
	if ids, _ := s.eventIDs(t, key, "delivered=true"); len(ids) != 5 {
		t.Errorf("deliveries to a deleted endpoint count: %v", ids)
	}
}

// A filter that cannot be read is refused, and so is a cursor of another list.
func TestListEvents_Refused(t *testing.T) {
	t.Parallel()
	s, key := recovering(t)
	other := s.Cursor(payments.ListRefunds, &models.Position{CreatedAt: s.Clock.Now(), ID: "x"})
	for _, query := range []string{"type=checkout", "type=", "checkoutId=", "checkoutId=%00", "delivered=yes",
		"delivered=", "createdFrom=yesterday", "createdFrom=2026-11-20", "createdFrom=2026-11-20T12:00:00",
		"createdTo=2026-13-20T12:00:00Z", "createdTo=", "createdFrom=2026-11-20T12:00:00+03:00", // the plus is a space
		"createdFrom=2026-11-20T12:00:00Z&createdTo=2026-11-20T12:00:00Z", "limit=0", "limit=101", "cursor=",
		"cursor=x", "cursor=" + other, "status=PAID", "type=checkout.paid&type=checkout.paid"} {
		if a := s.send(t, "GET", "/v1/events?"+query, "", as(key)...); !a.refused(t, 400, "invalid_request_body") {
			t.Errorf("%q: %d %s", query, a.status, a.body)
		}
	}
}

// An event is read with its deliveries, without headers and bodies of answers.
func TestReadEvent_Shape(t *testing.T) {
	t.Parallel()
	s, key := recovering(t)
	e, _ := s.Endpoint(t, "http://127.0.0.1/hook")
	failed := s.tell(t, e.ID, "FAILED")
	modelstest.Exec(t, s.DB, `INSERT INTO webhook_attempts (delivery_id, month, number, started_at, duration_ms,
		status_code, error_class, detail, headers, response) SELECT id, month, 1, $2, 3, 503, 'status', 'answered 503',
		'{"x-secret": ["y"]}', 'the answer' FROM webhook_deliveries WHERE id = $1`, failed.delivery, s.Clock.Now())
	at := s.Clock.Now().Format("2006-01-02T15:04:05.000Z")
	waiting := s.tell(t, e.ID, "PENDING")
	for _, tc := range []struct {
		event told
		want  string
	}{
		{failed, `"status":"FAILED","attempts":1,"nextAttemptAt":null,"finishedAt":"` + at +
			`","lastStatusCode":503,"lastError":"status"}]}`},
		{waiting, `"status":"PENDING","attempts":0,"nextAttemptAt":"` +
			s.Clock.Now().Format("2006-01-02T15:04:05.000Z") +
			`","finishedAt":null,"lastStatusCode":null,"lastError":null}]}`},
	} {
		sent := modelstest.One[[]byte](t, s.DB, "SELECT body FROM events WHERE id = $1", tc.event.id)
		want := `{"event":` + string(sent) + `,"deliveries":[{"id":"` + tc.event.delivery + `","endpointId":"` + e.ID +
			`",` + tc.want
		if a := s.send(t, "GET", "/v1/events/"+tc.event.id, "", as(key)...); a.status != 200 || a.body != want {
			t.Errorf("%d\n got %s\nwant %s", a.status, a.body, want)
		}
	}
}

// What belongs to another project, environment or account does not exist for a key.
func TestEvents_Strangers(t *testing.T) {
	t.Parallel()
	s, key := recovering(t)
	stranger, live := s.stranger(t), s.Key(t, s.Live, models.Permissions...)
	modelstest.Exec(t, s.DB, `WITH p AS (INSERT INTO projects (id, account_id, name, created_at)
		SELECT 'prj_00000000000000000001', account_id, 'Other', created_at FROM projects WHERE id = $1 RETURNING id)
		UPDATE api_keys SET project_id = p.id FROM p WHERE last4 = $2`, s.Test.ProjectID, s.key[len(s.key)-4:])
	modelstest.Exec(t, s.DB, "UPDATE api_keys SET events = true")
	e, _ := s.Endpoint(t, "http://127.0.0.1/hook")
	failed := s.tell(t, e.ID, "FAILED")
	period := fmt.Sprintf(`{"endpointId":"%s","from":"2020-01-01T00:00:00Z","to":"2040-01-01T00:00:00Z"}`, e.ID)
	for name, other := range map[string]string{"another account": stranger, "live": live, "another project": s.key} {
		if ids, _ := s.eventIDs(t, other, ""); len(ids) != 0 {
			t.Errorf("%s lists %v", name, ids)
		}
		if ids, _ := s.eventIDs(t, other, "checkoutId="+failed.checkout); len(ids) != 0 {
			t.Errorf("%s lists %v by the checkout", name, ids)
		}
		for what, tc := range map[string]struct {
			a    answer
			code string
		}{
			"read":   {s.send(t, "GET", "/v1/events/"+failed.id, "", as(other)...), "event_not_found"},
			"resend": {s.post(t, other, failed.id+"/resend", "k", ""), "event_not_found"},
			"replay": {s.post(t, other, "replay", "k", period), "webhook_endpoint_not_found"},
		} {
			if !tc.a.refused(t, 404, tc.code) {
				t.Errorf("%s by %s: %d %s", what, name, tc.a.status, tc.a.body)
			}
		}
	}
	for _, unknown := range []string{"evt_" + strings.Repeat("0", 24), "evt_0", "replay", "%00", "evt_%ff",
		strings.ToUpper(failed.id)} {
		if a := s.send(t, "GET", "/v1/events/"+unknown, "", as(key)...); !a.refused(t, 404, "event_not_found") {
			t.Errorf("read %s: %d %s", unknown, a.status, a.body)
		}
		if a := s.post(t, key, unknown+"/resend", "k", "{}"); !a.refused(t, 404, "event_not_found") {
			t.Errorf("resend %s: %d %s", unknown, a.status, a.body)
		}
	}
	if s.resends(t)+s.replayed(t) != 0 {
		t.Error("a stranger's request queued an attempt")
	}
}

// A key needs the switch, whatever its permissions, and loses the events with it or when it is revoked.
func TestEvents_Switch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	event := s.tell(t, "", "")
	id := modelstest.One[string](t, s.DB, "SELECT id FROM api_keys")
	calls := map[string]string{"GET /v1/events": "", "GET /v1/events/" + event.id: "",
		"POST /v1/events/" + event.id + "/resend": "", "POST /v1/events/replay": "{"}
	check := func(when string, status int, code string) {
		t.Helper()
		s.Clock.Advance(time.Second) // longer than a key is cached
		for call, body := range calls {
			method, path, _ := strings.Cut(call, " ")
			if a := s.send(t, method, path, body, as(s.key)...); !a.refused(t, status, code) {
				t.Errorf("%s %s: %d %s", call, when, a.status, a.body)
			}
		}
	}
	allow := func(allowed bool) {
		if err := s.Merchants.SetKeySwitch(t.Context(), s.Owner, s.Test, id, models.KeyEvents, allowed); err != nil {
			t.Fatal(err)
		}
	}
	check("with all permissions", 403, "api_key_scope_forbidden")
	allow(true)
	if ids, _ := s.eventIDs(t, s.key, ""); !slices.Equal(ids, []string{event.id}) {
		t.Errorf("with the switch: %v", ids)
	}
	allow(false)
	check("after the switch was turned off", 403, "api_key_scope_forbidden")
	allow(true)
	if err := s.Merchants.RevokeKey(t.Context(), s.Owner, s.Test, id); err != nil {
		t.Fatal(err)
	}
	check("after the key was revoked", 401, "unauthorized")
}

// A request with the same key sends once, also at the same time; another body or event is a conflict.
func TestResendEvent(t *testing.T) {
	t.Parallel()
	s, key := recovering(t)
	one, _ := s.Endpoint(t, "http://127.0.0.1/one")
	two, _ := s.Endpoint(t, "http://127.0.0.1/two")
	gone, _ := s.Endpoint(t, "http://127.0.0.1/gone")
	event, other := s.tell(t, one.ID, "DELIVERED"), s.tell(t, one.ID, "FAILED")
	if err := s.Merchants.DeleteEndpoint(t.Context(), s.Owner, s.Test, gone.ID); err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	for range 4 {
		group.Go(func() error {
			if a := s.post(t, key, event.id+"/resend", "k", ""); a.status != 200 {
				return fmt.Errorf("%d %s", a.status, a.body)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := s.resends(t); n != 2 {
		t.Errorf("four requests with one key queued %d attempts, want one for each endpoint", n)
	}
	modelstest.Exec(t, s.DB, "UPDATE webhook_resends SET finished_at = now()")
	if a := s.post(t, key, event.id+"/resend", "k", "{}"); a.status != 200 || s.resends(t) != 0 ||
		strings.Count(a.body, `"endpointId"`) != 2 {
		t.Errorf("repeated after the attempts: %d %s, %d attempts", a.status, a.body, s.resends(t))
	}
	for name, a := range map[string]answer{
		"another body":  s.post(t, key, event.id+"/resend", "k", `{"endpointId":"`+two.ID+`"}`),
		"another event": s.post(t, key, other.id+"/resend", "k", ""),
	} {
		if !a.refused(t, 409, "idempotency_conflict") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := s.post(t, key, event.id+"/resend", "two", `{"endpointId":"`+two.ID+`"}`); a.status != 200 ||
		s.resends(t) != 1 {
		t.Errorf("to one endpoint: %d %s, %d attempts", a.status, a.body, s.resends(t))
	}
	for body, want := range map[string]string{"{": "400 invalid_request_body", `{"x":1}`: "400 invalid_request_body",
		`{"endpointId":7}`: "400 invalid_request_body", `{"endpointId":""}`: "400 invalid_request_body",
		`{"endpointId":"we_0"}`:            "404 webhook_endpoint_not_found",
		`{"endpointId":"` + gone.ID + `"}`: "404 webhook_endpoint_not_found"} {
		a := s.post(t, key, event.id+"/resend", "free", body)
		if got := fmt.Sprint(a.status, " ", a.fault(t).Error.Code); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if a := s.post(t, key, event.id+"/resend", "", ""); !a.refused(t, 400, "idempotency_key_required") {
		t.Errorf("without a key: %d %s", a.status, a.body)
	}
	if a := s.post(t, key, event.id+"/resend", "free", ""); a.status != 200 {
		t.Errorf("refused requests took the key: %d %s", a.status, a.body)
	}
}
