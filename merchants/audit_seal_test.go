package merchants_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// act writes a line of the audit log and returns its id.
func act(tx *models.Tx, object string) (id int64, err error) {
	err = models.InsertAudit(tx, models.AuditEntry{
		At: time.Date(2026, 3, 2, 12, 0, 0, 123456000, time.UTC), Actor: models.ActorSystem, Action: "account.renamed", ObjectID: object,
		Detail: map[string]string{"name": `Ateliê \x "Aurora" ` + object},
	})
	if err == nil {
		err = tx.Raw("SELECT max(id) FROM audit_log WHERE object_id = ?", object).Row().Scan(&id)
	}
	return id, err
}

// write commits lines of the audit log.
func write(t *testing.T, g *paymentstest.Gateway, objects ...string) (ids []int64) {
	t.Helper()
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		ids = nil
		for _, object := range objects {
			id, err := act(tx, object)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// flaws seals what there is and returns what does not agree, in the words of the flaws.
func flaws(t *testing.T, g *paymentstest.Gateway) string {
	t.Helper()
	found, err := g.Merchants.SealAudit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last, err := models.LastExamination(t.Context(), g.DB.Pool, models.ExaminedAudit)
	if err != nil || last.At == nil || len(last.Flaws) != len(found) {
		t.Errorf("kept %v of %v, %v", last, found, err)
	}
	return strings.Trim(fmt.Sprint(found), "[]")
}

func sealed(t *testing.T, g *paymentstest.Gateway) models.AuditSeals {
	t.Helper()
	s, err := models.AuditSealed(t.Context(), g.DB.Pool)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Lines are sealed once, a thousand at a time, and each seal goes on from the one before.
func TestSealAudit(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	if got := flaws(t, g); got != "" {
		t.Fatalf("an untouched log: %s", got)
	}
	first := sealed(t, g)
	var lines int64
	if err := g.DB.Raw("SELECT count(*) FROM audit_log").Row().Scan(&lines); err != nil || first.Number != 1 || first.Lines != lines {
		t.Fatalf("%+v of %d lines, %v", first, lines, err)
	}
	if flaws(t, g); sealed(t, g).Number != 1 {
		t.Error("with nothing new there is a new seal")
	}
	err := g.DB.Exec(`INSERT INTO audit_log (at, actor, action, object_id) SELECT now(), 'system', 'account.renamed', 'x' || n FROM generate_series(1, 1500) n`).Error
	if err != nil {
		t.Fatal(err)
	}
	if got := flaws(t, g); got != "" {
		t.Errorf("a long log: %s", got)
	}
	last := sealed(t, g)
	if last.Number != 3 || last.Lines != lines+1500 || hex.EncodeToString(last.Hash) == hex.EncodeToString(first.Hash) {
		t.Errorf("afterwards %+v", last)
	}
	for _, sql := range []string{"UPDATE audit_seals SET sealed_at = now()", "DELETE FROM audit_seals", "TRUNCATE audit_seals"} {
		if err := g.DB.Exec(sql).Error; err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// Instances that seal at the same time make one chain.
func TestSealAudit_Together(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	release := hold(t, g, "LOCK TABLE audit_seals IN SHARE ROW EXCLUSIVE MODE")
	go release(2)
	if n := succeeded(t, 2, nil, func() error { _, err := g.Merchants.SealAudit(t.Context()); return err }); n != 2 {
		t.Errorf("%d of two sealed", n)
	}
	if got, s := flaws(t, g), sealed(t, g); got != "" || s.Number != 1 {
		t.Errorf("they made %+v, with %q", s, got)
	}
}

// asOwner is somebody whom no trigger stops, and who can put all back as it was.
func asOwner(t *testing.T, g *paymentstest.Gateway) (run func(sql string, args ...any), restore func()) {
	t.Helper()
	run = func(sql string, args ...any) {
		t.Helper()
		if err := g.DB.Exec(sql, args...).Error; err != nil {
			t.Fatal(err)
		}
	}
	run("ALTER TABLE audit_log DISABLE TRIGGER audit_log_final")
	run("ALTER TABLE audit_seals DISABLE TRIGGER audit_seals_final")
	run("CREATE TABLE kept AS SELECT * FROM audit_log")
	run("CREATE TABLE kept_seals AS SELECT * FROM audit_seals")
	restore = func() {
		t.Helper()
		run("DELETE FROM audit_log")
		run("INSERT INTO audit_log OVERRIDING SYSTEM VALUE SELECT * FROM kept")
		run("DELETE FROM audit_seals")
		run("INSERT INTO audit_seals SELECT * FROM kept_seals")
		if got := flaws(t, g); got != "" {
			t.Fatalf("restored: %s", got)
		}
	}
	return run, restore
}

// Who owns the database can change what no trigger lets others change; each line and
// seal that they touch is named.
func TestSealAudit_Tampered(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	flaws(t, g)
	a := write(t, g, "obj_a", "obj_b", "obj_c")
	flaws(t, g)
	b := write(t, g, "obj_d")
	flaws(t, g)
	run, restore := asOwner(t, g)
	columns := []string{
		"at = at + interval '1 microsecond'", "actor = 'usr_x'", "actor_role = 'OWNER'", "account_id = (SELECT id FROM accounts LIMIT 1)", "action = 'account.created'",
		"object_id = 'x'", "detail = '{}'", `before = '{"a":"b"}'`, `after = '{"a":"b"}'`, "ip = '::1'", "request_id = 'req_x'",
	}
	for _, column := range columns {
		run("UPDATE audit_log SET "+column+" WHERE id = ?", a[1])
		if got, want := flaws(t, g), fmt.Sprintf("line_changed %d", a[1]); got != want {
			t.Errorf("%s: %q, want %q", column, got, want)
		}
		restore()
	}
	var all int
	if err := g.DB.Raw("SELECT count(*) FROM information_schema.columns WHERE table_name = 'audit_log'").Row().Scan(&all); err != nil || all != len(columns)+1 {
		t.Errorf("%d columns, of which %d and the id are sealed: %v", all, len(columns), err)
	}

	run("DELETE FROM audit_log WHERE id = ?", a[2])
	run("DELETE FROM audit_log WHERE id = ?", b[0])
	if got, want := flaws(t, g), fmt.Sprintf("line_missing %d line_missing %d", a[2], b[0]); got != want {
		t.Errorf("deleted: %q, want %q", got, want)
	}
	run("INSERT INTO audit_log (id, at, actor, action, object_id) OVERRIDING SYSTEM VALUE VALUES (?, now(), 'system', 'account.renamed', 'x')", a[2])
	if got, want := flaws(t, g), fmt.Sprintf("line_changed %d line_missing %d", a[2], b[0]); got != want {
		t.Errorf("another in its place: %q, want %q", got, want)
	}
	restore()
	run("INSERT INTO audit_log (id, at, actor, action, object_id) OVERRIDING SYSTEM VALUE VALUES (0, now(), 'system', 'account.renamed', 'x'), (-1, now(), 'system', 'account.renamed', 'x')")
	if got, want := flaws(t, g), "line_added -1 line_added 0"; got != want {
		t.Errorf("put in: %q, want %q", got, want)
	}
	restore()
	run("DELETE FROM audit_seals WHERE number = 2")
	if got := flaws(t, g); got != "seal_missing 2" {
		t.Errorf("without a seal: %q", got)
	}
	restore()
	run("UPDATE audit_seals SET hash = sha256('x') WHERE number = 2")
	if got := flaws(t, g); got != "seal_changed 2 seal_changed 3" {
		t.Errorf("another seal: %q", got)
	}
	restore()
	run("UPDATE audit_seals SET through = through + 1000 WHERE number = 3") // so that what follows is never sealed
	if got := flaws(t, g); got != "seal_changed 3" {
		t.Errorf("a seal that reaches further than its lines: %q", got)
	}
	restore()
	run("ALTER TABLE audit_seals DROP CONSTRAINT audit_seals_lines")
	for _, lines := range []string{"''", "'x'"} {
		run("UPDATE audit_seals SET lines = " + lines + " WHERE number = 2")
		if got := flaws(t, g); got != "seal_changed 2" {
			t.Errorf("a seal of %s: %q", lines, got)
		}
		restore()
	}
	run("INSERT INTO audit_log (id, at, actor, action, object_id) OVERRIDING SYSTEM VALUE SELECT -n, now(), 'system', 'account.renamed', 'x' FROM generate_series(1, 150) n")
	if got := strings.Count(flaws(t, g), "line_added"); got != 100 {
		t.Errorf("of 150 flaws it tells of %d", got)
	}
	restore()
	run("UPDATE audit_log SET object_id = 'x' WHERE id = ?", a[0]) // and its seal with it
	run(`UPDATE audit_seals SET lines = set_byte(lines, 8, get_byte(lines, 8) # 1) WHERE number = 2`)
	if got := flaws(t, g); !strings.Contains(got, "seal_changed 2") || !strings.Contains(got, fmt.Sprintf("line_changed %d", a[0])) {
		t.Errorf("a line and its seal: %q", got)
	}
}

// A line is not sealed before every line with a lower id is decided, and writers wait for
// nobody who seals.
func TestSealAudit_LateCommit(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	flaws(t, g)
	before := sealed(t, g)
	begun, finish, done := make(chan int64), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- g.DB.InTx(context.WithoutCancel(t.Context()), func(tx *models.Tx) error {
			id, err := act(tx, "obj_late")
			begun <- id
			<-finish
			return err
		})
	}()
	late := <-begun
	early := write(t, g, "obj_early")[0]
	if early < late {
		t.Fatalf("%d is not after %d", early, late)
	}
	hurried, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := g.Merchants.SealAudit(hurried); err == nil || sealed(t, g).Through != before.Through {
		t.Errorf("it sealed %+v while line %d was undecided (%v)", sealed(t, g), late, err)
	}
	sealing := make(chan string, 1)
	go func() {
		found, err := g.Merchants.SealAudit(context.WithoutCancel(t.Context()))
		sealing <- fmt.Sprint(found, err)
	}()
	write(t, g, "obj_meanwhile") // nobody is held up by who seals
	close(finish)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := <-sealing; got != "[] <nil>" {
		t.Errorf("sealing says %s", got)
	}
	if got := flaws(t, g); got != "" {
		t.Errorf("afterwards: %s", got)
	}
	var covered []int64
	rows, err := g.DB.Pool.Query(t.Context(), "SELECT ('x' || encode(substr(lines, n * 40 + 1, 8), 'hex'))::bit(64)::bigint FROM audit_seals, generate_series(0, octet_length(lines) / 40 - 1) n")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		covered = append(covered, id)
	}
	if rows.Err() != nil || !slices.Contains(covered, late) || !slices.Contains(covered, early) {
		t.Errorf("the seals cover %v, not %d and %d (%v)", covered, late, early, rows.Err())
	}
}
