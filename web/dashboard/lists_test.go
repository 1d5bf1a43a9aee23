package dashboard_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// logCalls writes calls of the API in test and returns their pages, newest first.
func logCalls(t *testing.T, s *webtest.Site, n int) (addresses []string) {
	t.Helper()
	calls := make([]models.APIRequest, n)
	for i := range calls {
		calls[i] = models.APIRequest{ProjectID: s.Test.ProjectID, RequestID: "req_" + strconv.Itoa(i),
			At: s.Clock.Now().Add(time.Duration(i) * time.Second), Method: "GET", Path: "/v1/balance",
			Status: 200 + i%2*204, KeyID: "key_1"}
	}
	if err := models.InsertAPIRequests(t.Context(), s.DB.Pool, calls); err != nil {
		t.Fatal(err)
	}
	page, err := models.APIRequests(t.Context(), s.DB.Pool, s.Test, models.APIRequestFilter{Limit: n})
	if err != nil || len(page.Rows) != n {
		t.Fatalf("%d calls, %v", len(page.Rows), err)
	}
	for _, call := range page.Rows {
		addresses = append(addresses, "/app/requisicoes/"+strconv.FormatInt(call.ID, 10))
	}
	return addresses
}

// listedCalls returns the pages of the calls that an answer lists.
func listedCalls(a webtest.Answer) (addresses []string) {
	for _, link := range a.Find(`tbody tr a[href^="/app/requisicoes/"]`).EachIter() {
		if address := link.AttrOr("href", ""); !slices.Contains(addresses, address) {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// Pages show every row once, keep their filter, and lead back the way they were reached.
func TestLists_Walk(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	all := logCalls(t, s, 56)
	var refused []string
	for i := 0; i < len(all); i += 2 {
		refused = append(refused, all[i])
	}
	for first, tc := range map[string]struct {
		rows  []string
		pages int
	}{"/app/requisicoes": {all, 3}, "/app/requisicoes?class=4xx": {refused, 2}} {
		var seen []string
		pages, before := 0, ""
		for path := first; path != ""; pages++ {
			a := c.Get(path)
			if got := a.Find("a[rel=prev]").AttrOr("href", ""); got != before {
				t.Errorf("%s leads back to %s, not to %s", path, got, before)
			}
			before = path
			seen, path = append(seen, listedCalls(a)...), a.Find("a[rel=next]").AttrOr("href", "")
		}
		if pages != tc.pages || !slices.Equal(seen, tc.rows) {
			t.Errorf("%s: %d pages with %d rows: %q", first, pages, len(seen), seen)
		}
	}
}

// A trail that is forged or too long leads back to the beginning.
func TestLists_Trail(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	logCalls(t, s, 30)
	second := c.Get("/app/requisicoes").Find("a[rel=next]").AttrOr("href", "")
	_, cursor, _ := strings.Cut(second, "cursor=")
	for _, trail := range []string{"x", cursor + "~", strings.TrimSuffix(strings.Repeat(cursor+"~", 21), "~")} {
		a := c.Get(second + "&trail=" + trail)
		if got := a.Find("a[rel=prev]").AttrOr("href", ""); a.Status != http.StatusOK || got != "/app/requisicoes" {
			t.Errorf("%d, back to %s", a.Status, got)
		}
	}
	if got := c.Get(second+"&trail="+cursor).Find("a[rel=prev]").AttrOr("href", ""); got != second {
		t.Errorf("back to %s, not to %s", got, second)
	}
}

// Bookmarks from when pages of numbered rows had ?before=… show what they showed.
func TestLists_OldBookmarks(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	all := logCalls(t, s, 30)
	number := func(address string) string { return address[len("/app/requisicoes/"):] }
	a := c.Get("/app/requisicoes?before=" + number(all[9]))
	if got := listedCalls(a); !slices.Equal(got, all[10:]) || a.Find("a[rel=prev]").AttrOr("href", "") !=
		"/app/requisicoes" || a.Find("a[rel=next]").Length() != 0 {
		t.Errorf("before the tenth call: %q", got)
	}
	if got := listedCalls(c.Get("/app/requisicoes?before=" + number(all[0]))); !slices.Equal(got, all[1:26]) {
		t.Errorf("before the first call: %q", got)
	}
	for range 4 {
		s.Key(t, s.Test, models.PermissionCheckoutRead)
	}
	lines, err := models.AuditLines(t.Context(), s.DB.Pool,
		models.AuditFilter{AccountID: s.Account.ID, Subject: "api_key"})
	if err != nil || len(lines) != 4 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	a = c.Get("/app/auditoria?before=" + strconv.FormatInt(lines[1].ID, 10) + "&subject=api_key")
	if got := a.Find("main section ul > li").Length(); got != 2 ||
		a.Find("a[rel=prev]").AttrOr("href", "") != "/app/auditoria?subject=api_key" {
		t.Errorf("before the second line: %d", got)
	}
	for _, path := range []string{"/app/requisicoes?before=x", "/app/requisicoes?before=-1",
		"/app/requisicoes?cursor=5",
		"/app/requisicoes?before=99999999999999999999"} {
		if a := c.Get(path); a.Status != http.StatusOK || !slices.Equal(listedCalls(a), all[:25]) {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	s.Checkout(t, payments.NewCheckout{})
	if got := c.Get("/app/cobrancas?before=1").Find("tbody tr").Length(); got != 1 {
		t.Errorf("a list that never had before: %d rows", got)
	}
}
