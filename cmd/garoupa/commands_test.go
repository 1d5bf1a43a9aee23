package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"garoupa/models/modelstest"
)

// demo prints one JSON object with fixed names for other programs, and the merchant that it
// creates works.
func TestDemo(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	out := p.run("demo", "--json", "--webhook-url", "http://127.0.0.1:9/hook")
	var got struct { // repeats the names, because programs rely on them
		AccountID     string                                                 `json:"accountId"`
		ProjectID     string                                                 `json:"projectId"`
		Owner         struct{ Email, Password string }                       `json:"owner"`
		Staff         []struct{ Email, Password, Role string }               `json:"staff"`
		ProductID     string                                                 `json:"productId"`
		WebhookSecret *string                                                `json:"webhookSecret"`
		Keys          struct{ Test, TestReadOnly, Live, LivePending string } `json:"keys"`
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil || d.More() || strings.Count(out, "\n") != 1 {
		t.Fatalf("%s: %v", out, err)
	}
	for _, name := range []string{`"email":`, `"password":`, `"role":`, `"test":`, `"testReadOnly":`, `"live":`,
		`"livePending":`} {
		if !strings.Contains(out, name) {
			t.Errorf("%s is not in %s", name, out)
		}
	}
	if !strings.HasPrefix(got.AccountID, "acc_") || !strings.HasPrefix(got.ProjectID, "prj_") || got.ProductID == "" ||
		got.WebhookSecret == nil || !strings.HasPrefix(*got.WebhookSecret, "whsec_") ||
		!strings.Contains(got.Owner.Email, "@") || len(got.Owner.Password) < 12 {
		t.Errorf("made %+v", got)
	}
	roles := map[string]bool{}
	for _, person := range got.Staff {
		if roles[person.Role] = true; !strings.Contains(person.Email, "@") || len(person.Password) < 12 {
			t.Errorf("staff is %+v", person)
		}
	}
	if diff := cmp.Diff(map[string]bool{"REVIEWER": true, "SUPERVISOR": true}, roles); diff != "" {
		t.Errorf("staff (-want +got)\n%s", diff)
	}

	second := p.demo() // each call adds another merchant
	if second.AccountID == got.AccountID || second.Owner.Email == got.Owner.Email ||
		second.Keys.Test == got.Keys.Test || second.WebhookSecret != nil {
		t.Errorf("the second is %+v", second)
	}
	p.serve()
	for name, want := range map[string]struct {
		key, prefix string
		status      int
	}{
		"test": {got.Keys.Test, "svc_test_", 201}, "read only": {got.Keys.TestReadOnly, "svc_test_", 403},
		"live": {got.Keys.Live, "svc_live_", 503}, "live, pending": {got.Keys.LivePending, "svc_live_", 403},
		"the second": {second.Keys.Test, "svc_test_", 201},
	} {
		if status, _ := p.create(want.key, "one key for all"); status != want.status ||
			!strings.HasPrefix(want.key, want.prefix) {
			t.Errorf("the %s key %.9s…: %d, want %d", name, want.key, status, want.status)
		}
	}
	if text := p.run("demo"); !strings.Contains(text, "svc_test_") ||
		!strings.Contains(text, "curl -s "+strings.Replace(p.url, "127.0.0.1", "localhost", 1)+"/v1/checkouts") {
		t.Errorf("without -json it prints %s", text)
	}
}

// simulate acts as the bank, once.
func TestSimulate(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.demo().Keys.Test
	p.serve()
	for act, done := range map[string]string{"pay": "paid", "expire": "expired", "cancel": "cancelled"} {
		_, id := p.create(key, "simulate-"+act)
		if r := p.try("simulate", act, id); r.status != 0 || r.out != id+" is "+done+".\n" || r.wrong != "" {
			t.Errorf("simulate %s: %+v", act, r)
		}
		for _, again := range []string{"pay", "expire", "cancel"} {
			if r := p.try("simulate", again, id); r.status != 1 || r.out != "" ||
				!strings.Contains(r.wrong, "The checkout is "+strings.ToUpper(done)+",") {
				t.Errorf("simulate %s after it was %s: %+v", again, done, r)
			}
		}
	}
	for amount, want := range map[int]string{
		10_47: " is still PENDING. The bank paid R$ 10.46, R$ 0.01 too little: that payment waits among the " +
			"exceptions. The charge can still be paid.\n",
		10_57: " is paid. The bank paid R$ 10.57, once more: that payment waits among the exceptions.\n",
	} {
		_, id := p.createOf(amount, key, "simulate-"+strconv.Itoa(amount))
		if r := p.try("simulate", "pay", id); r.status != 0 || r.out != id+want || r.wrong != "" {
			t.Errorf("simulate pay of %d: %+v", amount, r)
		}
	}
	wrong(t, p, "No checkout has this id.", "simulate", "pay", "chk_00000000000000000000")
	wrong(t, p, `"refund" is none of pay, expire and cancel`, "simulate", "refund", "chk_00000000000000000000")

	none := filepath.Join(t.TempDir(), "none")
	elsewhere := &program{t: t, env: append(slices.Clone(p.env), "DATABASE_URL=", "GAROUPA_DATA_DIR="+none)}
	wrong(t, elsewhere, "there is no "+none+" here; run it in the folder where the program serves", "simulate", "pay",
		"chk_00000000000000000000")
	if _, err := os.Stat(none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the command made a folder of data: %v", err)
	}
}

// wrong fails the test unless the command fails with one line that contains says.
func wrong(t *testing.T, p *program, says string, args ...string) {
	t.Helper()
	r := p.try(args...)
	if r.status != 1 || r.out != "" || strings.Count(r.wrong, "\n") != 1 || !strings.HasPrefix(r.wrong, "garoupa: ") ||
		!strings.Contains(r.wrong, says) {
		t.Errorf("garoupa %s: %+v; want 1 and one line with %q", strings.Join(args, " "), r, says)
	}
}

// check reports errors by its output and its status, and changes nothing.
func TestCheck(t *testing.T) {
	t.Parallel()
	url := modelstest.NewURL(t)
	p := newProgramOver(t, "DATABASE_URL="+url)
	if r := p.try("check"); r.status != 0 ||
		r.out != "database   ok\nschema     ok\nbooks      ok\naudit      ok\nbanks      ok\n" ||
		r.wrong != "" {
		t.Errorf("a healthy database: %+v", r)
	}
	execute := func(url, sql string) (n int) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	execute(url, `WITH gift AS (INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at)
		VALUES ('gift/1', 0, 'platform/test/clearing', 'acc_00000000000000000001/test/available', 1, now()) RETURNING 1)
		SELECT count(*) FROM gift`)
	if r := p.try("check"); r.status != 1 || !strings.Contains(r.out, "books      gift/1: ") ||
		strings.Contains(r.out, "books      ok") || !strings.Contains(r.wrong, "see above") {
		t.Errorf("books that are wrong: %+v", r)
	}
	execute(url, `WITH seal AS (INSERT INTO audit_seals (number, through, lines, hash, sealed_at)
		VALUES (1, 1, decode(repeat('00', 7) || '01' || repeat('00', 32), 'hex'), sha256('x'), now()) RETURNING 1)
			SELECT count(*) FROM seal`)
	if r := p.try("check"); r.status != 1 || !strings.Contains(r.out,
		"audit      does not follow from the one before: seal 1\naudit      missing: line 1\n") ||
		strings.Contains(r.out, "audit      ok") {
		t.Errorf("an audit log that is wrong: %+v", r)
	}

	empty := modelstest.NewEmptyURL(t)
	e := newProgramOver(t, "DATABASE_URL="+empty)
	if r := e.try("check"); r.status != 1 || !strings.Contains(r.out, "run garoupa migrate") ||
		strings.Contains(r.out, "books") {
		t.Errorf("an empty database: %+v", r)
	}
	if n := execute(empty, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"); n != 0 {
		t.Errorf("check made %d tables", n)
	}
	if out := e.run("migrate"); out != "The schema is up to date.\n" {
		t.Errorf("migrate prints %s", out)
	}
	e.run("check")
}

// An error is one line and status 1. A command with wrong arguments explains its usage,
// with status 2.
func TestCommands_Wrong(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	wrong(t, p, "--webhook-url", "demo", "--webhook-url", "ftp://x")
	wrong(t, p, "role", "staff", "add", "-email", "ops@example.com", "-name", "Ops", "-role", "KING")
	wrong(t, p, "probe: ", "serve", "-probe")
	if added := p.run("staff", "add", "-email", "ops@example.com", "-name", "Ops", "-role",
		"SUPERVISOR"); !strings.Contains(added, "/redefinir-senha?token=") || strings.Contains(added, "password:") {
		t.Errorf("staff add prints %s", added)
	}
	said := p.run("people", "sessions", "-email", "ops@example.com")
	if said != "Ended 0 sessions of ops@example.com.\n" {
		t.Errorf("people sessions prints %s", said)
	}
	p.run("people", "factors", "-email", "ops@example.com")
	wrong(t, p, "linked to no identity", "people", "unlink", "-email", "ops@example.com")
	wrong(t, p, "no person", "people", "factors", "-email", "none@example.com")
	wrong(t, p, "email is taken", "staff", "add", "-email", "OPS@example.com", "-name", "Ops")

	for name, tc := range map[string]struct{ setting, says string }{
		"a wrong setting":       {"GAROUPA_LOG_LEVEL=loud", "GAROUPA_LOG_LEVEL"},
		"nobody listens there":  {"DATABASE_URL=postgres://garoupa:hunter2@127.0.0.1:1/x", "connect"},
		"a key that is no key":  {"GAROUPA_SECRET_KEY=" + strings.Repeat("hunter2", 10), "GAROUPA_SECRET_KEY"},
		"a host that is longer": {"GAROUPA_CHECKOUT_HOST=https://" + strings.Repeat("x", 41), "GAROUPA_CHECKOUT_HOST"},
	} {
		broken := &program{t: t, env: append(p.env[:len(p.env):len(p.env)], tc.setting)}
		if r := broken.try("serve"); strings.Contains(r.wrong, "hunter2") {
			t.Errorf("%s: the output contains a secret: %s", name, r.wrong)
		}
		wrong(t, broken, tc.says, "serve")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	taken := &program{t: t, env: append(p.env[:len(p.env):len(p.env)], "GAROUPA_LISTEN="+listener.Addr().String())}
	wrong(t, taken, "GAROUPA_LISTEN", "serve")

	for _, misspelled := range [][]string{
		{"serv"}, {"--serve"}, {"serve", "now"}, {"serve", "-x"}, {"demo", "x"}, {"simulate"}, {"simulate", "pay"},
		{"simulate", "pay", "a", "b"},
		{"staff"}, {"staff", "remove"}, {"people"}, {"people", "x"},
		{"check", "x"}, {"migrate", "down"}, {"version", "x"},
	} {
		if r := p.try(misspelled...); r.status != 2 || r.out != "" || !strings.Contains(r.wrong, "garoupa") {
			t.Errorf("garoupa %s: %+v, want 2", strings.Join(misspelled, " "), r)
		}
	}
}

// A serving program answers the probe of a container.
func TestProbe(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.serve()
	if r := p.try("serve", "-probe"); r.status != 0 || r.wrong != "" {
		t.Errorf("ready: %+v", r)
	}
	response, err := http.Get(p.url + "/livez")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("alive: %v, %v", response, err)
	}
}

// Help works with any environment.
func TestHelp(t *testing.T) {
	t.Parallel()
	p := &program{t: t, env: []string{"DATABASE_URL=mysql://x", "GAROUPA_LISTEN=nonsense", "GAROUPA_LOG_LEVEL=loud",
		"GAROUPA_DATA_DIR=/dev/null"}}
	for _, c := range commands() {
		for _, flag := range []string{"--help", "-help", "-h"} {
			r := p.try(c.name, flag)
			if text := r.out + r.wrong; r.status != 0 || !strings.Contains(text, "garoupa "+c.name) ||
				strings.Contains(text, "settings:") {
				t.Errorf("garoupa %s %s: %+v", c.name, flag, r)
			}
		}
	}
	for _, args := range [][]string{{}, {"help"}, {"-h"}, {"--help"}} {
		r := p.try(args...)
		for _, c := range commands() {
			if r.status != 0 || !strings.Contains(r.out, "  "+c.name+" ") {
				t.Errorf("garoupa %v: %+v", args, r)
			}
		}
	}
}
