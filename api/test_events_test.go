package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/api"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// streamed is one block of a stream of test events.
type streamed struct{ id, kind, data string }

// openStream is an open stream of test events.
type openStream struct {
	t      *testing.T
	answer *http.Response
	lines  *bufio.Reader
	close  func()
}

// stream connects to the site at an address. headers are alternating names and values.
func (s *site) stream(t *testing.T, address, key string, headers ...string) *openStream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	request, err := http.NewRequestWithContext(ctx, "GET", "http://"+address+"/v1/test/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "api.example"
	request.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); answer.Body.Close() })
	return &openStream{t: t, answer: answer, lines: bufio.NewReader(answer.Body), close: cancel}
}

// next returns the next block that is more than a comment; ok is false at the end.
func (s *openStream) next() (e streamed, ok bool) {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			if err != io.EOF {
				s.t.Errorf("the stream broke: %v", err)
			}
			return e, false
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			e.data = value
		case "":
			if e.id != "" && line == "\n" {
				return e, true
			}
		}
	}
}

// want fails the test unless the next block equals want.
func (s *openStream) want(want streamed) {
	s.t.Helper()
	got, ok := s.next()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(streamed{})); !ok || diff != "" {
		s.t.Errorf("(-want +streamed)\n%s", diff)
	}
}

// told returns the events of the test project in the form of a stream.
func (s *site) told(t *testing.T) (all []streamed) {
	t.Helper()
	rows, err := s.DB.Pool.Query(t.Context(),
		"SELECT id, type, body FROM events WHERE NOT livemode ORDER BY created_at, id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var e streamed
		var body []byte
		if err := rows.Scan(&e.id, &e.kind, &body); err != nil {
			t.Fatal(err)
		}
		e.data = string(body)
		all = append(all, e)
	}
	return all
}

// A stream sends new events in the form that endpoints receive. A resumed stream sends what
// it missed, at any instance.
func TestStreamTestEvents(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	s, other := newSiteOver(t, g, api.Limits{}), newSiteOver(t, g, api.Limits{})
	s.pending(t)
	address := s.listen(t)
	first := s.stream(t, address, s.Key(t, s.Test, models.PermissionCheckoutRead))
	if h := first.answer.Header; first.answer.StatusCode != 200 || h.Get("Content-Type") != "text/event-stream" ||
		h.Get("Cache-Control") != "no-store, no-cache, no-transform" ||
		h.Get("X-Accel-Buffering") != "no" || h.Get("Request-Id") == "" {
		t.Errorf("%d %v", first.answer.StatusCode, h)
	}
	first.want(streamed{id: s.told(t)[0].id})

	s.Clock.Advance(time.Millisecond)
	id := other.create(t, with("description", `"açúcar & <sal>\n2"`)).id(t)
	s.Clock.Advance(time.Millisecond)
	if a := other.send(t, "POST", "/v1/test/checkouts/"+id+"/pay", "", as(s.key)...); a.status != 200 {
		t.Fatalf("paid: %d %s", a.status, a.body)
	}
	all := s.told(t)
	if len(all) != 3 || all[1].kind != models.EventCheckoutCreated || all[2].kind != models.EventCheckoutPaid ||
		!json.Valid([]byte(all[1].data)) {
		t.Fatalf("the stream has the events %v", all)
	}
	first.want(all[1])
	first.want(all[2])
	first.close()

	last := all[1].id
	s.Clock.Advance(time.Millisecond)
	due := s.pending(t)
	s.Clock.Advance(time.Millisecond)
	if err := s.SimulateExpiry(t.Context(), due.ID); err != nil {
		t.Fatal(err)
	}
	again := s.stream(t, other.listen(t), s.key, "Last-Event-ID", last)
	for _, e := range append(all[2:3], s.told(t)[3:]...) {
		again.want(e)
	}
	start := s.stream(t, address, s.key, "Last-Event-ID", models.EventStreamStart)
	for _, e := range s.told(t) {
		start.want(e)
	}
}

// For a live key the stream does not exist; an unknown position is refused; and a key may
// have five streams at a time.
func TestStreamTestEvents_Refused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	address := s.listen(t)
	refused := func(key string, status int, code string, headers ...string) {
		t.Helper()
		a := read(t, s.stream(t, address, key, headers...).answer)
		if !a.refused(t, status, code) {
			t.Errorf("%d %s, want %d %s", a.status, a.body, status, code)
		}
	}
	refused(s.Key(t, s.Live, models.PermissionCheckoutRead), 404, "not_found")
	refused(s.Key(t, s.Test, models.PermissionCheckoutCreate), 403, "api_key_scope_forbidden")
	refused("svc_test_"+strings.Repeat("0", 32), 401, "unauthorized")
	refused(s.key, 400, "invalid_request_body", "Last-Event-ID", models.NewEventID())
	refused(s.key, 400, "invalid_request_body", "Last-Event-ID", "0")
	foreign := s.pending(t)
	modelstest.Exec(t, s.DB, "UPDATE events SET livemode = true WHERE checkout_id = $1", foreign.ID)
	var id string
	if err := s.DB.Pool.QueryRow(t.Context(), "SELECT id FROM events").Scan(&id); err != nil {
		t.Fatal(err)
	}
	refused(s.key, 400, "invalid_request_body", "Last-Event-ID", id)

	for range 5 {
		s.stream(t, address, s.key).want(streamed{id: models.EventStreamStart})
	}
	sixth := read(t, s.stream(t, address, s.key).answer)
	if !sixth.refused(t, 429, "rate_limit_exceeded") || sixth.header.Get("Retry-After") != "10" {
		t.Errorf("a sixth: %d %s, Retry-After %q", sixth.status, sixth.body, sixth.header.Get("Retry-After"))
	}
	s.stream(t, address, s.Key(t, s.Test, models.Permissions...)).want(streamed{id: models.EventStreamStart})

	revoked := s.Key(t, s.Test, models.Permissions...)
	ends := s.stream(t, address, revoked)
	ends.want(streamed{id: models.EventStreamStart})
	keys, err := models.APIKeys(t.Context(), s.DB.Pool, s.Test)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if strings.HasSuffix(revoked, key.Last4) {
			if err := s.Merchants.RevokeKey(t.Context(), s.Owner, s.Test, key.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Clock.Advance(time.Second) // as long as a revoked key may still be accepted
	s.pending(t)
	if e, ok := ends.next(); ok {
		t.Errorf("a revoked key receives %v", e)
	}
}
