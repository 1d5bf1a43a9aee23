package merchants_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

var phone = merchants.Browser{IP: "203.0.113.7", UserAgent: "Mozilla/5.0", Name: "Chrome · Android", RequestID: "req_1"}

// linesOf returns the lines of a subject of the audit log, oldest first: action, actor, object and facts.
func linesOf(t *testing.T, g *paymentstest.Gateway, subject string) (lines []string) {
	t.Helper()
	found, err := models.AuditLines(t.Context(), g.DB.Pool, models.AuditFilter{Subject: subject})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range slices.Backward(found) {
		lines = append(lines, strings.Join([]string{strings.TrimPrefix(l.Action, subject+"."), l.Actor, l.ObjectID,
			l.AccountID, l.IP, l.RequestID, l.Detail["way"], l.Detail["browser"]}, " "))
	}
	return lines
}

// Log-ins, failures and log-outs are lines of the audit log. Of an unknown address it holds a keyed hash.
func TestRecord(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	e.Clock.Advance(time.Minute)
	before := len(linesOf(t, e.Gateway, "session"))
	logIn := func(email, password string) string {
		token, err := e.Merchants.LogIn(t.Context(), email, password, phone)
		if err != nil && !errors.Is(err, merchants.ErrCodeNeeded) && !errors.Is(err, merchants.ErrCredentials) {
			t.Fatal(err)
		}
		return token
	}
	logIn("x@example.com", "wrong")
	logIn(" X@example.com", "wrong")
	logIn("y@example.com", "wrong")
	logIn(e.Email, "wrong")
	token := logIn(e.Email, paymentstest.Password)
	session, err := e.Merchants.Session(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{wrongCode(e.secret, e.Clock.Now()), e.code()} {
		fresh, err := e.Merchants.LogInWithCode(t.Context(), token, code, phone)
		if err == nil {
			token = fresh
		} else if !errors.Is(err, merchants.ErrCredentials) {
			t.Fatal(err)
		}
	}
	v, err := e.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Merchants.Prove(t.Context(), v, wrongCode(e.secret, e.Clock.Now()), phone); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Fatal(err)
	}
	err = e.Merchants.ChangePassword(t.Context(), v, e.Owner, "wrong", "another password")
	if !errors.Is(err, merchants.ErrCredentials) {
		t.Fatal(err)
	}
	for range 2 {
		if err := e.Merchants.LogOut(t.Context(), token, phone); err != nil {
			t.Fatal(err)
		}
	}

	got := linesOf(t, e.Gateway, "session")[before:]
	user, account, from := e.Owner.UserID, e.Account.ID, phone.IP+" "+phone.RequestID
	stranger := strings.Fields(got[0])[2]
	want := []string{
		"failed system " + stranger + "  " + from + " password " + phone.Name,
		"failed system " + stranger + "  " + from + " password " + phone.Name,
		strings.ReplaceAll(got[2], stranger, "another name for another address"),
		"failed system " + user + " " + account + " " + from + " password " + phone.Name,
		"awaits_code " + user + " " + session.ID + " " + account + " " + from + " password " + phone.Name,
		"code_failed system " + user + " " + account + " " + from + " code " + phone.Name,
		"started " + user + " " + session.ID + " " + account + " " + from + " code " + phone.Name,
		"proof_failed system " + user + " " + account + " " + from + " code " + phone.Name,
		"proof_failed system " + user + " " + account + " " + e.Owner.IP + " " + e.Owner.RequestID + " password ",
		"logged_out " + user + " " + session.ID + " " + account + " " + from + "  ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the audit log (-want +got)\n%s", diff)
	}
	if !strings.HasPrefix(stranger, "email_") || len(stranger) != len("email_")+20 {
		t.Errorf("a stranger's address is recorded as %q", stranger)
	}
	noAddress(t, e.Gateway)
}

// noAddress fails the test if a line about a session contains an email address.
func noAddress(t *testing.T, g *paymentstest.Gateway) {
	t.Helper()
	if n := modelstest.One[int](t, g.DB, `SELECT count(*) FROM audit_log l
		WHERE l::text LIKE '%@%' AND action LIKE 'session.%'`); n != 0 {
		t.Errorf("%d lines contain an email address", n)
	}
}

// A flood of failures writes ten lines a minute of one person and of one address, and then one with
// their number for each of the two.
func TestRecord_Flood(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	guess := func(email, ip string) {
		t.Helper()
		_, err := g.Merchants.LogIn(t.Context(), email, "wrong", merchants.Browser{IP: ip})
		if !errors.Is(err, merchants.ErrCredentials) {
			t.Fatal(err)
		}
	}
	count := func() int { return len(linesOf(t, g, "session")) }
	g.Clock.Advance(time.Minute - time.Duration(g.Clock.Now().UnixMilli()%60_000)*time.Millisecond)

	for i := range 12 { // one person, many addresses
		guess(g.Email, fmt.Sprintf("198.51.100.%d", i))
	}
	if n := count(); n != 10 {
		t.Errorf("12 guesses at one person wrote %d lines", n)
	}
	for i := range 12 { // one customer's line, many people
		guess(fmt.Sprintf("x%d@example.com", i), fmt.Sprintf("2001:db8:1:2::%d", i))
	}
	if n := count(); n != 20 {
		t.Errorf("12 guesses from one network wrote %d lines", n-10)
	}
	if err := g.Merchants.RecordCounts(t.Context()); err != nil || count() != 20 {
		t.Errorf("before the minute has ended: %v, %d lines", err, count())
	}
	minute := g.Clock.Now()
	g.Clock.Advance(time.Minute)
	guess(g.Email, "198.51.100.1")
	for range 2 { // the second run changes nothing
		if err := g.Merchants.RecordCounts(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	found, err := models.AuditLines(t.Context(), g.DB.Pool, models.AuditFilter{Subject: "session", Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string]string{}
	for _, l := range found[:2] {
		got[strings.Join([]string{l.Action, l.Actor, l.ObjectID, l.AccountID, l.IP}, " ")] = l.Detail
	}
	facts := map[string]string{"count": "12", "from": minute.UTC().Format(time.RFC3339)}
	want := map[string]map[string]string{
		"session.many_failed system " + g.Owner.UserID + " " + g.Account.ID + " ": facts,
		"session.many_failed system   2001:db8:1:2::/64":                          facts,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the counts (-want +got)\n%s", diff)
	}
	if n := count(); n != 23 || found[2].Action != "session.failed" {
		t.Errorf("in all %d lines, the third last %s", n, found[2].Action)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM audit_counts WHERE minute < $1", g.Clock.Now()); n != 0 {
		t.Errorf("%d counts are left", n)
	}
}

// The first use of a key from an address is a line of the audit log; other uses are none. A minute has
// at most ten such lines of a key.
func TestRecord_KeyAddress(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	key, secret, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test,
		merchants.NewKey{Name: "test", Permissions: merchants.CheckoutIntegration})
	if err != nil {
		t.Fatal(err)
	}
	use := func(m *merchants.Service, ip string) {
		t.Helper()
		if _, err := m.Authenticate(t.Context(), secret, ip); err != nil {
			t.Fatal(err)
		}
		m.AwaitAddresses()
	}
	lines := func() (addresses []string) {
		t.Helper()
		found, err := models.AuditLines(t.Context(), g.DB.Pool, models.AuditFilter{Actor: key.ID})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range slices.Backward(found) {
			if l.Action != "api_key.used_from_new_address" || l.ObjectID != key.ID || l.AccountID != g.Account.ID {
				t.Errorf("the line is %+v", l)
			}
			addresses = append(addresses, l.IP)
		}
		return addresses
	}
	g.Clock.Advance(time.Minute - time.Duration(g.Clock.Now().UnixMilli()%60_000)*time.Millisecond)
	other := merchants.New(g.Merchants.Options)
	for _, m := range []*merchants.Service{g.Merchants, other} { // two processes
		for _, ip := range []string{"203.0.113.7", "203.0.113.7", "203.0.113.8", "2001:db8::1", "2001:db8::2"} {
			use(m, ip)
		}
	}
	if diff := cmp.Diff([]string{"203.0.113.7", "203.0.113.8", "2001:db8::1"}, lines()); diff != "" {
		t.Errorf("new addresses (-want +got)\n%s", diff)
	}
	for i := range 9 {
		use(g.Merchants, fmt.Sprintf("198.51.100.%d", i))
	}
	if n := len(lines()); n != 10 {
		t.Errorf("12 new addresses in a minute wrote %d lines", n)
	}
	g.Clock.Advance(time.Minute)
	if err := g.Merchants.RecordCounts(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := modelstest.One[string](t, g.DB, `SELECT detail ->> 'count' FROM audit_log
		WHERE action = 'api_key.many_addresses' AND object_id = $1 AND account_id = $2`, key.ID, g.Account.ID)
	if n != "12" {
		t.Errorf("the count is %s", n)
	}
	g.Clock.Advance(91 * 24 * time.Hour)
	if _, err := models.DeleteKeyNetworks(t.Context(), g.DB.Pool, g.Clock.Now().Add(-90*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	use(g.Merchants, "203.0.113.7")
	if n := len(lines()); n != 11 {
		t.Errorf("after 90 days an old address is not new: %d lines", n)
	}
}
