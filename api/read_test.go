package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
)

// An id that is not a checkout of the key's project and environment is the same 404 as an
// unknown one (docs/rules.md, "Accounts and projects").
func TestReadCheckout(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.pending(t).ID
	if a := s.send(t, "GET", "/v1/checkouts/"+id, "", "Authorization", "Bearer "+s.key); a.status != 200 ||
		a.id(t) != id {
		t.Fatalf("its own checkout: %d %s", a.status, a.body)
	}
	bodies := map[string]bool{}
	missing := func(name, key, id string) {
		a := s.send(t, "GET", "/v1/checkouts/"+id, "", "Authorization", "Bearer "+key, "Request-Id", "r")
		if !a.refused(t, 404, "checkout_not_found") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		bodies[a.body] = true
	}
	missing("from live", s.Key(t, s.Live, models.PermissionCheckoutRead), id)
	missing("from another project", s.stranger(t), id)
	for _, unknown := range []string{
		"chk_00000000000000000000", "chk_", "chk", "x", id + "0", id[:len(id)-1], strings.ToUpper(id), "evt_" + id[4:],
		id + "%00", "%00", "%FF", "chk_%C3%A3", "..", "%2e%2e", "'%20OR%20'1'='1", "chk_0000000000000000000g",
		strings.Repeat("a", 4000),
	} {
		missing(unknown, s.key, unknown)
	}
	if len(bodies) != 1 {
		t.Errorf("the answers distinguish cases: %v", bodies)
	}
}

// page is an answer of the list.
type page struct {
	Data       []struct{ ID, Status string }
	NextCursor *string
}

func (s *site) list(t testing.TB, key, query string) page {
	t.Helper()
	a := s.send(t, "GET", "/v1/checkouts?"+query, "", "Authorization", "Bearer "+key)
	var p page
	if err := json.Unmarshal([]byte(a.body), &p); err != nil || a.status != 200 ||
		!strings.Contains(a.body, `"nextCursor":`) {
		t.Fatalf("GET /v1/checkouts?%s: %d %s, %v", query, a.status, a.body, err)
	}
	return p
}

func (p page) ids() (ids []string) {
	for _, c := range p.Data {
		ids = append(ids, c.ID)
	}
	return ids
}

// The list is newest first, with 20 checkouts by default, and its cursor continues after
// them (contract 4.2).
func TestListCheckouts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var made []string
	for i := range 25 {
		if i%3 == 0 { // some have the same creation time
			s.Clock.Advance(time.Second)
		}
		made = append(made, s.Checkout(t, payments.NewCheckout{ExternalID: fmt.Sprintf("p-%d", i%5)}).ID)
	}
	first := s.list(t, s.key, "")
	if len(first.Data) != 20 || first.NextCursor == nil {
		t.Fatalf("the first page has %d rows and the cursor %v", len(first.Data), first.NextCursor)
	}
	second := s.list(t, s.key, "cursor="+url.QueryEscape(*first.NextCursor))
	if len(second.Data) != 5 || second.NextCursor != nil {
		t.Fatalf("the second page has %d rows and the cursor %v", len(second.Data), second.NextCursor)
	}
	all := s.list(t, s.key, "limit=100")
	if got := append(first.ids(), second.ids()...); !slices.Equal(got, all.ids()) || all.NextCursor != nil {
		t.Errorf("two pages are %v, one is %v", got, all.ids())
	}
	if exact := s.list(t, s.key, "limit=25"); len(exact.Data) != 25 || exact.NextCursor != nil {
		t.Errorf("a page of all rows has the cursor %v", exact.NextCursor)
	}
	if newest := all.ids()[:1]; s.list(t, s.key, "limit=1").ids()[0] != newest[0] || newest[0] != made[24] {
		t.Errorf("the first is %v, the newest is %s", newest, made[24])
	}

	if err := s.SimulateExpiry(t.Context(), made[7]); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{
		"status=EXPIRED": 1, "status=PENDING&limit=100": 24, "status=PAID": 0, "status=CANCELLED": 0,
		"externalId=p-2": 5, "externalId=p": 0, "externalId=P-2": 0, "externalId=p-2&status=EXPIRED": 1,
		"externalId=p-1&status=EXPIRED": 0,
	} {
		if got := s.list(t, s.key, query); len(got.Data) != want {
			t.Errorf("%s: %d, want %d", query, len(got.Data), want)
		}
	}
	for name, key := range map[string]string{"live": s.Key(t, s.Live, models.PermissionCheckoutRead),
		"another project": s.stranger(t)} {
		if got := s.list(t, key, ""); len(got.Data) != 0 || got.Data == nil || got.NextCursor != nil {
			t.Errorf("%s sees %v", name, got)
		}
	}
}

func TestListCheckouts_Refused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.pending(t)
	s.pending(t)
	cursor := *s.list(t, s.key, "limit=1").NextCursor
	position := &models.Position{CreatedAt: s.Clock.Now(), ID: "chk_00000000000000000000"}
	for query, says := range map[string]string{
		"limit=0":                                "limit must be an integer from 1 to 100.",
		"limit=101":                              "limit must",
		"limit=-1":                               "limit must",
		"limit=%2B5":                             "limit must",
		"limit=1.0":                              "limit must",
		"limit=1e1":                              "limit must",
		"limit=":                                 "limit must",
		"limit=x":                                "limit must",
		"limit=99999999999999999999999":          "limit must",
		"status=paid":                            "status must be PENDING, PAID, EXPIRED or CANCELLED.",
		"status=":                                "status must",
		"status=PAID,EXPIRED":                    "status must",
		"externalId=":                            "externalId must be 1 to 255 printable characters.",
		"externalId=%00":                         "externalId must",
		"externalId=%FF":                         "externalId must",
		"externalId=" + strings.Repeat("x", 256): "externalId must",
		"cursor=":                                "cursor must be the nextCursor of an earlier page.",
		"cursor=x":                               "cursor must",
		"cursor=" + cursor[:len(cursor)-2]:       "cursor must",
		"cursor=" + cursor + "AA":                "cursor must",
		"cursor=B" + cursor[1:]:                  "cursor must",
		"cursor=" + s.Cursor(payments.ListPaymentLinks, position): "cursor must", // another list's cursor
		"page=2":          `Unknown query parameter "page".`,
		"Limit=2":         `The closest known one is "limit".`,
		"limit=1&limit=2": "The query parameter limit stands twice.",
	} {
		a := s.send(t, "GET", "/v1/checkouts?"+query, "", "Authorization", "Bearer "+s.key)
		if !a.refused(t, 400, invalid) || !strings.Contains(a.fault(t).Error.Message, says) {
			t.Errorf("%s: %d %s, want %q", query, a.status, a.body, says)
		}
	}
}

// Writes have no query parameters, so a misplaced member is not overlooked.
func TestWrites_Query(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"/v1/checkouts?expiresIn=60", "/v1/payment-links?x=1",
		"/v1/test/checkouts/chk_0/pay?x=1", "/v1/test/checkouts/chk_0/expire?x=1",
		"/v1/test/checkouts/chk_0/cancel?x=1"} {
		a := s.send(t, "POST", path, `{}`, as(s.key, "Idempotency-Key", "k")...)
		if !a.refused(t, 400, invalid) || !strings.Contains(a.fault(t).Error.Message, "Unknown query parameter") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := s.send(t, "GET", "/v1/test/events?after=1", "", as(s.key)...); !a.refused(t, 400, invalid) {
		t.Errorf("the stream: %d %s", a.status, a.body)
	}
}
