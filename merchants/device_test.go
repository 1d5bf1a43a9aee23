package merchants_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// enter logs the owner in with a browser and returns the session's token.
func enter(t *testing.T, g *paymentstest.Gateway, device string) string {
	t.Helper()
	token, err := g.Merchants.LogIn(t.Context(), g.Email, paymentstest.Password,
		merchants.Browser{IP: "203.0.113.7", Name: "Chrome · Android", Mark: device})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// newDeviceMails returns the tokens of the mails about new devices.
func newDeviceMails(t *testing.T, g *paymentstest.Gateway) []string {
	t.Helper()
	return modelstest.Column[string](t, g.DB, `SELECT params ->> 'token' FROM mails
		WHERE kind = 'new_device' AND recipient = $1 ORDER BY created_at`, g.Email)
}

// The first device ever brings no mail, each other one brings one mail, and a known one none.
func TestNewDevice(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for i, step := range []struct {
		device string
		mails  int
	}{{"", 0}, {"laptop", 0}, {"laptop", 0}, {"phone", 1}, {"laptop", 1}, {"phone", 1}, {"", 1}, {"tablet", 2}} {
		enter(t, g, step.device)
		if n := len(newDeviceMails(t, g)); n != step.mails {
			t.Errorf("log-in %d, with %q: %d mails, want %d", i+1, step.device, n, step.mails)
		}
		g.Clock.Advance(time.Minute)
	}
	row := modelstest.One[string](t, g.DB, `SELECT (params - 'token' - 'at' - 'name')::text FROM mails
		WHERE kind = 'new_device' ORDER BY created_at LIMIT 1`)
	if row != `{"ip": "203.0.113.7", "browser": "Chrome · Android"}` {
		t.Errorf("the mail has %s", row)
	}
	if n := modelstest.One[int](t, g.DB, `SELECT count(*) FROM audit_log WHERE action = 'session.new_device'
		AND actor = $1 AND object_id LIKE 'dev_%'`, g.Owner.UserID); n != 3 {
		t.Errorf("%d lines of new devices", n)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM devices d WHERE d::text LIKE '%phone%'"); n != 0 {
		t.Error("the devices' secrets are stored")
	}
}

// A log-in that stops before the code does not count as one.
func TestNewDevice_Code(t *testing.T) {
	t.Parallel()
	e := enrol(t, paymentstest.New(t))
	from := merchants.Browser{Mark: "laptop"}
	logIn := func(from merchants.Browser, code string) {
		t.Helper()
		token, err := e.Merchants.LogIn(t.Context(), e.Email, paymentstest.Password, from)
		if !errors.Is(err, merchants.ErrCodeNeeded) {
			t.Fatal(err)
		}
		if code != "" {
			if _, err := e.Merchants.LogInWithCode(t.Context(), token, code, from); err != nil {
				t.Fatal(err)
			}
		}
	}
	logIn(from, e.code())
	e.Clock.Advance(time.Minute)
	from.Mark = "phone"
	logIn(from, "")
	if n := len(newDeviceMails(t, e.Gateway)); n != 0 {
		t.Errorf("%d mails after half a log-in", n)
	}
	logIn(from, e.code())
	if n := len(newDeviceMails(t, e.Gateway)); n != 1 {
		t.Errorf("%d mails after a log-in", n)
	}
	if n := modelstest.One[int](t, e.DB, `SELECT count(*) FROM sessions s JOIN devices d ON d.id = s.device_id
		AND d.user_id = s.user_id WHERE NOT s.awaits_code`); n != 2 {
		t.Errorf("%d sessions name their device", n)
	}
}

// The link ends the sessions of its device alone, works once and for seven days, and leads to choosing
// a password.
func TestDenyDevice(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	laptop, denied := enter(t, g, "laptop"), []string{enter(t, g, "phone"), enter(t, g, "phone")}
	tablet := enter(t, g, "tablet")
	ids := newDeviceMails(t, g)
	if len(ids) != 2 {
		t.Fatalf("%d mails", len(ids))
	}
	links := map[string]string{} // by device
	for _, id := range ids {
		d, err := g.Merchants.CheckDevice(t.Context(), g.Vault.Token(id))
		if err != nil || d.Name != "Chrome · Android" || d.IP != "203.0.113.7" {
			t.Fatalf("the link is about %+v, %v", d, err)
		}
		links[d.ID] = g.Vault.Token(id)
	}
	v, err := g.Merchants.Visitor(t.Context(), denied[0])
	if err != nil || v.DeviceID == nil {
		t.Fatalf("%+v, %v", v, err)
	}
	link := links[*v.DeviceID]

	for _, wrong := range []string{"", "tok_x", ids[0], g.Vault.Token(models.NewTokenID())} {
		if _, err := g.Merchants.DenyDevice(t.Context(), wrong, phone); !errors.Is(err, merchants.ErrLink) {
			t.Errorf("the link %q: %v", wrong, err)
		}
	}
	reset, err := g.Merchants.DenyDevice(t.Context(), link, phone)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range denied {
		if _, err := g.Merchants.Visitor(t.Context(), token); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a session of the device goes on: %v", err)
		}
	}
	for _, token := range []string{laptop, tablet} {
		if _, err := g.Merchants.Visitor(t.Context(), token); err != nil {
			t.Errorf("a session of another device: %v", err)
		}
	}
	if _, err := g.Merchants.DenyDevice(t.Context(), link, phone); !errors.Is(err, merchants.ErrLink) {
		t.Errorf("the link worked twice: %v", err)
	}
	if err := g.Merchants.ResetPassword(t.Context(), reset, "another good password", ""); err != nil {
		t.Errorf("the link to choose a password: %v", err)
	}
	lines := linesOf(t, g, "session")
	if !slices.ContainsFunc(lines, func(l string) bool {
		return l == "device_denied "+g.Owner.UserID+" "+*v.DeviceID+" "+g.Account.ID+" "+phone.IP+" "+
			phone.RequestID+"  "
	}) {
		t.Errorf("the audit log has %q", lines)
	}
	delete(links, *v.DeviceID)
	g.Clock.Advance(7 * 24 * time.Hour)
	for _, link := range links {
		if _, err := g.Merchants.DenyDevice(t.Context(), link, phone); !errors.Is(err, merchants.ErrLink) {
			t.Errorf("the link worked after seven days: %v", err)
		}
	}
}

// A device that was denied is new when it logs in again: neither it nor its address is a place where the
// person logs in.
func TestDenyDevice_Again(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	enter(t, g, "laptop")
	here := merchants.Browser{IP: "203.0.113.7", Mark: "phone"}
	if err := g.Merchants.Remember(t.Context(), enter(t, g, "phone"), here); err != nil {
		t.Fatal(err)
	}
	places := []merchants.Browser{{IP: here.IP}, {Mark: here.Mark}}
	knows := func() (known []bool) {
		for _, place := range places {
			is, err := g.Merchants.Knows(t.Context(), g.Email, place)
			if err != nil {
				t.Fatal(err)
			}
			known = append(known, is)
		}
		return known
	}
	if known := knows(); !slices.Equal(known, []bool{true, true}) {
		t.Fatalf("known before: %v", known)
	}
	if _, err := g.Merchants.DenyDevice(t.Context(), g.Vault.Token(newDeviceMails(t, g)[0]), phone); err != nil {
		t.Fatal(err)
	}
	if known := knows(); !slices.Equal(known, []bool{false, false}) {
		t.Errorf("known after: %v", known)
	}
	enter(t, g, "phone")
	if n := len(newDeviceMails(t, g)); n != 2 {
		t.Errorf("%d mails", n)
	}
}

// The list has the log-ins and the failures of 90 days, also after a flood of failures.
func TestLogIns(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	guess := func() {
		t.Helper()
		_, err := g.Merchants.LogIn(t.Context(), g.Email, "wrong", phone)
		if !errors.Is(err, merchants.ErrCredentials) {
			t.Fatal(err)
		}
	}
	enter(t, g, "laptop")
	g.Clock.Advance(time.Hour)
	for range 3 {
		for range 11 {
			guess()
		}
		g.Clock.Advance(time.Minute)
		if err := g.Merchants.RecordCounts(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	list, err := g.Merchants.LogIns(t.Context(), g.Owner.UserID)
	if err != nil || len(list) != 21 {
		t.Fatalf("%d log-ins, %v", len(list), err)
	}
	last := list[20]
	if last.Action != "session.started" || last.IP != "203.0.113.7" || last.Way != "password" ||
		last.Browser != "Chrome · Android" {
		t.Errorf("the first log-in is %+v", last)
	}
	if first := list[0]; first.Action != "session.many_failed" || first.Count != "11" {
		t.Errorf("the latest is %+v", first)
	}
	if others, err := g.Merchants.LogIns(t.Context(), models.NewUserID()); err != nil || len(others) != 0 {
		t.Errorf("another person has %+v, %v", others, err)
	}
	g.Clock.Advance(merchants.LogInsFor - 5*time.Minute)
	if list, _ := g.Merchants.LogIns(t.Context(), g.Owner.UserID); len(list) != 20 {
		t.Errorf("%d log-ins when the first is older than 90 days", len(list))
	}
}
