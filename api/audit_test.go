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

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
)

// monitor returns a live key that may read the audit log, and its id. The key was used from the address of the
// tests, so that its next use there writes no line beside.
func (s *site) monitor(t testing.TB) (secret, id string) {
	t.Helper()
	key, secret, err := s.Merchants.CreateKey(t.Context(), s.Owner, s.Live,
		merchants.NewKey{Name: "Monitor", Permissions: []models.Permission{models.PermissionPaymentLinkRead}})
	if err == nil {
		err = s.Merchants.SetKeySwitch(t.Context(), s.Owner, s.Live, key.ID, models.KeyAudit, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, s.DB, `INSERT INTO api_key_networks (key_id, network, first_used_at, last_used_at)
		SELECT id, '0.0.0.0', created_at, created_at FROM api_keys WHERE id = $1`, key.ID)
	return secret, key.ID
}

// act writes a line about the account, and returns its id.
func (s *site) act(t testing.TB, e models.AuditEntry) string {
	t.Helper()
	e.At = s.Clock.Now()
	if e.Actor == "" {
		e.Actor = s.Owner.UserID
	}
	err := s.DB.InTx(t.Context(), func(tx *models.Tx) error { return models.InsertAudit(tx, e) })
	if err != nil {
		t.Fatal(err)
	}
	return modelstest.One[string](t, s.DB, "SELECT max(id)::text FROM audit_log")
}

func (s *site) auditIDs(t testing.TB, key, query string) (ids []string, next string) {
	t.Helper()
	a := s.send(t, "GET", "/v1/audit?"+query, "", as(key)...)
	var page struct {
		Data       []struct{ ID string }
		NextCursor string
	}
	if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != 200 {
		t.Fatalf("%s: %d %s", query, a.status, a.body)
	}
	for _, line := range page.Data {
		ids = append(ids, line.ID)
	}
	return ids, page.NextCursor
}

// The list narrows by each filter, newest first, and pages of one have each line once, also where lines have
// equal times.
func TestListAudit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key, _ := s.monitor(t)
	s.Clock.Advance(time.Minute)
	var ids []string
	for i := range 6 {
		if i%3 == 0 {
			s.Clock.Advance(time.Second)
		}
		e := models.AuditEntry{AccountID: s.Account.ID, Action: "walk.step", ObjectID: fmt.Sprint(i)}
		if i == 2 {
			e.Action = "walk.rest"
		}
		ids = append([]string{s.act(t, e)}, ids...)
	}
	now := url.QueryEscape(s.Clock.Now().Format(time.RFC3339Nano))
	before := url.QueryEscape(s.Clock.Now().Add(-time.Second).Format(time.RFC3339Nano))
	for query, want := range map[string][]string{
		"type=walk.rest": {ids[3]}, "type=walk.none": nil, "createdFrom=" + now: ids[:3],
		"createdFrom=" + before: ids, "createdFrom=" + before + "&createdTo=" + now: ids[3:],
		"createdFrom=" + before + "&type=walk.step": slices.Concat(ids[:3], ids[4:]), "limit=2": ids[:2],
	} {
		if got, _ := s.auditIDs(t, key, query); !slices.Equal(got, want) {
			t.Errorf("%s lists %v, want %v", query, got, want)
		}
	}
	var paged []string
	for cursor := ""; ; {
		page, next := s.auditIDs(t, key, "limit=1&createdFrom="+before+cursor)
		if paged = append(paged, page...); next == "" {
			break
		}
		cursor = "&cursor=" + next
	}
	if diff := cmp.Diff(ids, paged); diff != "" {
		t.Errorf("pages of one (-want +got)\n%s", diff)
	}
}

// A line has what the dashboard shows the owner; of staff it says only that they acted.
func TestListAudit_Shape(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key, _ := s.monitor(t)
	modelstest.Exec(t, s.DB, `INSERT INTO users (id, name, email, password_hash, staff_role, created_at)
		SELECT 'usr_00000000000000000009', 'Secret Staff', 'staff@example.com', password_hash, 'REVIEWER', created_at
		FROM users LIMIT 1`)
	at := s.Clock.Now().Format("2006-01-02T15:04:05.000Z")
	own := s.act(t, models.AuditEntry{AccountID: s.Account.ID, Action: "walk.step", ObjectID: `a"b`,
		Before: map[string]string{"pace": "slow"}, After: map[string]string{"pace": "fast", `"x`: "1"},
		IP: "203.0.113.7", RequestID: "req_1"})
	staff := s.act(t, models.AuditEntry{AccountID: s.Account.ID, Action: "switch.changed",
		Actor:  "usr_00000000000000000009",
		Detail: map[string]string{"ticket": "secret", "reason": "x"}, IP: "198.51.100.1", RequestID: "req_2"})
	want := `{"data":[{"id":"` + staff + `","type":"switch.changed","createdAt":"` + at +
		`","actor":{"id":"staff","name":null,"role":null},"objectId":null,"before":{},"after":{},` +
		`"detail":{"reason":"x"},"ip":null,"requestId":null},` +
		`{"id":"` + own + `","type":"walk.step","createdAt":"` + at + `","actor":{"id":"` + s.Owner.UserID +
		`","name":"` + modelstest.One[string](t, s.DB, "SELECT name FROM users WHERE id = $1", s.Owner.UserID) +
		`","role":"OWNER"},"objectId":"a\"b","before":{"pace":"slow"},"after":{"\"x":"1","pace":"fast"},"detail":{},` +
		`"ip":"203.0.113.7","requestId":"req_1"}],"nextCursor":`
	a := s.send(t, "GET", "/v1/audit?limit=2", "", as(key)...)
	if got := a.body[:min(len(a.body), len(want))]; a.status != 200 || got != want {
		t.Errorf("%d (-want +got)\n%s", a.status, cmp.Diff(want, got))
	}
	if whole := s.send(t, "GET", "/v1/audit", "", as(key)...).body; strings.Contains(whole, "@") ||
		strings.Contains(whole, "Secret Staff") || strings.Contains(whole, key) {
		t.Errorf("the log contains too much: %s", whole)
	}
}

// A filter that cannot be read is refused, and so is a cursor of another list.
func TestListAudit_Refused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key, _ := s.monitor(t)
	other := s.Cursor(payments.ListEvents, &models.Position{CreatedAt: s.Clock.Now(), ID: "1"})
	for _, query := range []string{"type=", "type=api_key", "type=%27.x", "createdFrom=yesterday", "createdTo=",
		"createdFrom=2026-11-20T12:00:00Z&createdTo=2026-11-20T12:00:00Z", "limit=0", "limit=101", "cursor=",
		"cursor=" + other, "actor=x", "limit=1&limit=1"} {
		if a := s.send(t, "GET", "/v1/audit?"+query, "", as(key)...); !a.refused(t, 400, "invalid_request_body") {
			t.Errorf("%q: %d %s", query, a.status, a.body)
		}
	}
}

// A key needs the switch, whatever its permissions. A test key cannot have it, and another account's key reads
// nothing of this one.
func TestAudit_Switch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	monitor, id := s.monitor(t)
	check := func(name, key string, status int, code string) {
		t.Helper()
		s.Clock.Advance(time.Second) // longer than a key is cached
		if a := s.send(t, "GET", "/v1/audit", "", as(key)...); !a.refused(t, status, code) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	check("all permissions", s.Key(t, s.Live, models.Permissions...), 403, "api_key_scope_forbidden")
	testID := modelstest.One[string](t, s.DB, "SELECT id FROM api_keys WHERE NOT livemode")
	if err := s.Merchants.SetKeySwitch(t.Context(), s.Owner, s.Test, testID, models.KeyAudit, true); err == nil {
		t.Error("a test key got the switch")
	}
	if _, err := s.DB.Pool.Exec(t.Context(), "UPDATE api_keys SET audit = true WHERE id = $1", testID); err == nil {
		t.Error("the database gave a test key the switch")
	}
	check("a test key", s.key, 403, "api_key_scope_forbidden")

	stranger := s.stranger(t)
	modelstest.Exec(t, s.DB, `UPDATE api_keys SET livemode = true, audit = true, secret_hash = sha256($1::bytea)
		WHERE last4 = $2`, merchants.PrefixLive+strings.TrimPrefix(stranger, merchants.PrefixTest),
		stranger[len(stranger)-4:])
	stranger = merchants.PrefixLive + strings.TrimPrefix(stranger, merchants.PrefixTest)
	own := s.act(t, models.AuditEntry{AccountID: s.Account.ID, Action: "walk.step"})
	nowhere := s.act(t, models.AuditEntry{Action: "walk.step"})
	if ids, _ := s.auditIDs(t, stranger, ""); len(ids) == 0 || slices.Contains(ids, own) ||
		slices.Contains(ids, nowhere) {
		t.Errorf("another account lists %v, with %s or %s", ids, own, nowhere)
	}
	if ids, _ := s.auditIDs(t, stranger, "type=walk.step"); len(ids) != 0 {
		t.Errorf("another account lists %v by the type", ids)
	}
	if ids, _ := s.auditIDs(t, monitor, "type=walk.step"); !slices.Equal(ids, []string{own}) {
		t.Errorf("the monitor lists %v, want %s", ids, own)
	}
	if err := s.Merchants.SetKeySwitch(t.Context(), s.Owner, s.Live, id, models.KeyAudit, false); err != nil {
		t.Fatal(err)
	}
	check("after the switch was turned off", monitor, 403, "api_key_scope_forbidden")
}
