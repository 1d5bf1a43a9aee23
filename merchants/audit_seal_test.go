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
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// act writes a line of the audit log and returns its id.
func act(tx *models.Tx, object string) (id int64, err error) {
	err = models.InsertAudit(tx, models.AuditEntry{
		At: time.Date(2026, 3, 2, 12, 0, 0, 123456000, time.UTC), Actor: models.ActorSystem, Action: "account.renamed",
		ObjectID: object,
		Detail:   map[string]string{"name": `Ateliê \x "Aurora" ` + object},
	})
	if err == nil {
		err = tx.Scan("SELECT max(id) FROM audit_log WHERE object_id = $1", []any{object}, &id)
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

// flaws runs SealAudit and returns its flaws as text.
func flaws(t *testing.T, g *paymentstest.Gateway) string {
	t.Helper()
	found, err := g.Merchants.SealAudit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last, err := models.LastExamination(t.Context(), g.DB.Pool, models.ExaminedAudit)
	if err != nil || last.At == nil || len(last.Flaws) != len(found) {
		t.Errorf("stored %v of the flaws %v, %v", last, found, err)
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

// Lines are sealed once, a thousand at a time, and each seal continues from the previous one.
func TestSealAudit(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	if got := flaws(t, g); got != "" {
		t.Fatalf("flaws of an unchanged log: %s", got)
	}
	first := sealed(t, g)
	var lines int64
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM audit_log").Scan(&lines); err != nil ||
		first.Number != 1 ||
		first.Lines != lines {
		t.Fatalf("the seal is %+v for %d lines, %v", first, lines, err)
	}
	if flaws(t, g); sealed(t, g).Number != 1 {
		t.Error("there is a new seal without new lines")
	}
	_, err := g.DB.Pool.Exec(t.Context(), `INSERT INTO audit_log (at, actor, action, object_id)
		SELECT now(), 'system', 'account.renamed',
		'x' || n FROM generate_series(1, 1500) n`)
	if err != nil {
		t.Fatal(err)
	}
	if got := flaws(t, g); got != "" {
		t.Errorf("flaws of a long log: %s", got)
	}
	last := sealed(t, g)
	if last.Number != 3 || last.Lines != lines+1500 || hex.EncodeToString(last.Hash) == hex.EncodeToString(first.Hash) {
		t.Errorf("afterwards %+v", last)
	}
	for _, sql := range []string{"UPDATE audit_seals SET sealed_at = now()", "DELETE FROM audit_seals",
		"TRUNCATE audit_seals"} {
		if _, err := g.DB.Pool.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "append-only") {
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
		t.Errorf("%d of two instances made a seal", n)
	}
	if got, s := flaws(t, g), sealed(t, g); got != "" || s.Number != 1 {
		t.Errorf("the seals are %+v, with the flaws %q", s, got)
	}
}

// asOwner returns functions that change the database without its triggers, and that restore
// it.
func asOwner(t *testing.T, g *paymentstest.Gateway) (run func(sql string, args ...any), restore func()) {
	t.Helper()
	run = func(sql string, args ...any) {
		t.Helper()
		modelstest.Exec(t, g.DB, sql, args...)
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

// tampering is a sealed log that the owner of the database can change.
type tampering struct {
	t       *testing.T
	g       *paymentstest.Gateway
	a, b    []int64 // the lines of seals 2 and 3
	run     func(sql string, args ...any)
	restore func()
}

func newTampering(t *testing.T) *tampering {
	t.Helper()
	g := paymentstest.New(t)
	flaws(t, g)
	a := write(t, g, "obj_a", "obj_b", "obj_c")
	flaws(t, g)
	b := write(t, g, "obj_d")
	flaws(t, g)
	run, restore := asOwner(t, g)
	return &tampering{t, g, a, b, run, restore}
}

// add inserts lines with the ids that a query returns.
func (m *tampering) add(ids string, args ...any) {
	m.t.Helper()
	m.run(`INSERT INTO audit_log (id, at, actor, action, object_id) OVERRIDING SYSTEM VALUE
		SELECT n, now(), 'system', 'account.renamed', 'x' FROM (`+ids+`) AS ids (n)`, args...)
}

// finds checks the flaws that SealAudit returns.
func (m *tampering) finds(what, want string) {
	m.t.Helper()
	if got := flaws(m.t, m.g); got != want {
		m.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// The owner of the database can bypass the triggers. SealAudit names each line in which any
// column was changed.
func TestSealAudit_ChangedLine(t *testing.T) {
	t.Parallel()
	m := newTampering(t)
	columns := []string{
		"at = at + interval '1 microsecond'", "actor = 'usr_x'", "actor_role = 'OWNER'",
		"account_id = (SELECT id FROM accounts LIMIT 1)", "action = 'account.created'", "object_id = 'x'",
		"detail = '{}'", `before = '{"a":"b"}'`, `after = '{"a":"b"}'`, "ip = '::1'", "request_id = 'req_x'",
	}
	for _, column := range columns {
		m.run("UPDATE audit_log SET "+column+" WHERE id = $1", m.a[1])
		m.finds(column, fmt.Sprintf("line_changed %d", m.a[1]))
		m.restore()
	}
	var all int
	err := m.g.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM information_schema.columns
		WHERE table_name = 'audit_log'`).Scan(&all)
	if err != nil || all != len(columns)+1 {
		t.Errorf("the table has %d columns, but %d and the id are sealed: %v", all, len(columns), err)
	}
}

// SealAudit names each line that was deleted, replaced or inserted, up to a hundred.
func TestSealAudit_LinesGoneAndAdded(t *testing.T) {
	t.Parallel()
	m := newTampering(t)
	m.run("DELETE FROM audit_log WHERE id = $1", m.a[0])
	m.finds("deleted before others of the seal", fmt.Sprintf("line_missing %d", m.a[0]))
	m.restore()
	m.run("DELETE FROM audit_log WHERE id = $1", m.a[2])
	m.run("DELETE FROM audit_log WHERE id = $1", m.b[0])
	m.finds("deleted", fmt.Sprintf("line_missing %d line_missing %d", m.a[2], m.b[0]))
	m.add("SELECT $1::bigint", m.a[2])
	m.finds("replaced", fmt.Sprintf("line_changed %d line_missing %d", m.a[2], m.b[0]))
	m.restore()
	m.add("VALUES (0), (-1)")
	m.finds("inserted", "line_added -1 line_added 0")
	m.restore()
	m.add("SELECT -n FROM generate_series(1, 150) n")
	if got := strings.Count(flaws(t, m.g), "line_added"); got != 100 {
		t.Errorf("SealAudit returned %d of 150 flaws", got)
	}
}

// SealAudit names each seal that was deleted or changed, and a line that was changed together
// with its seal.
func TestSealAudit_ChangedSeal(t *testing.T) {
	t.Parallel()
	m := newTampering(t)
	m.run("DELETE FROM audit_seals WHERE number = 2")
	m.finds("without a seal", "seal_missing 2")
	m.restore()
	m.run("UPDATE audit_seals SET hash = sha256('x') WHERE number = 2")
	m.finds("another seal", "seal_changed 2 seal_changed 3")
	m.restore()
	m.run("UPDATE audit_seals SET through = through + 1000 WHERE number = 3") // no later line will be sealed
	m.finds("a seal that reaches further than its lines", "seal_changed 3")
	m.restore()
	m.run("UPDATE audit_seals SET through = $1 + 1000 WHERE number = 2", m.b[0])
	m.finds("a seal that reaches over the next one", fmt.Sprintf("seal_changed 2 line_added %d line_missing %d",
		m.b[0], m.b[0]))
	m.restore()
	m.run("ALTER TABLE audit_seals DROP CONSTRAINT audit_seals_lines")
	for _, lines := range []string{"''", "'x'"} {
		m.run("UPDATE audit_seals SET lines = " + lines + " WHERE number = 2")
		m.finds("a seal of "+lines, "seal_changed 2")
		m.restore()
	}
	m.run("UPDATE audit_log SET object_id = 'x' WHERE id = $1", m.a[0])
	m.run("UPDATE audit_seals SET lines = set_byte(lines, 8, get_byte(lines, 8) # 1) WHERE number = 2")
	if got := flaws(t, m.g); !strings.Contains(got, "seal_changed 2") ||
		!strings.Contains(got, fmt.Sprintf("line_changed %d", m.a[0])) {
		t.Errorf("flaws of a changed line and its seal: %q", got)
	}
}

// A line is sealed only when no line with a lower id can appear anymore. Sealing does not
// delay writers.
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
		t.Fatalf("line %d is not after line %d", early, late)
	}
	hurried, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := g.Merchants.SealAudit(hurried); err == nil || sealed(t, g).Through != before.Through {
		t.Errorf("SealAudit sealed %+v while line %d was not committed (%v)", sealed(t, g), late, err)
	}
	sealing := make(chan string, 1)
	go func() {
		found, err := g.Merchants.SealAudit(context.WithoutCancel(t.Context()))
		sealing <- fmt.Sprint(found, err)
	}()
	write(t, g, "obj_meanwhile") // sealing delays no writer
	close(finish)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := <-sealing; got != "[] <nil>" {
		t.Errorf("SealAudit returned %s", got)
	}
	if got := flaws(t, g); got != "" {
		t.Errorf("afterwards: %s", got)
	}
	var covered []int64
	rows, err := g.DB.Pool.Query(t.Context(),
		"SELECT ('x' || encode(substr(lines, n * 40 + 1, 8), 'hex'))::bit(64)::bigint FROM audit_seals, "+
			"generate_series(0, octet_length(lines) / 40 - 1) n")
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
		t.Errorf("the seals cover %v, want %d and %d (%v)", covered, late, early, rows.Err())
	}
}

// Many seals are compared in parts; at the border of two, too, the line that was changed is named.
func TestSealAudit_ManySeals(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	flaws(t, g)
	var ids []int64
	for i := range 130 {
		ids = append(ids, write(t, g, fmt.Sprint("obj_", i))...)
		err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
			_, err := models.SealAudit(tx, ids[i], g.Clock.Now())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, s := flaws(t, g), sealed(t, g); got != "" || s.Number != 131 {
		t.Fatalf("%d seals, flaws %q", s.Number, got)
	}
	run, _ := asOwner(t, g)
	want := []string{}
	for _, i := range []int{97, 98, 99, 100, 129} { // seals 99 to 102 and the last
		run("UPDATE audit_log SET object_id = 'x' WHERE id = $1", ids[i])
		want = append(want, fmt.Sprintf("line_changed %d", ids[i]))
	}
	if got := flaws(t, g); got != strings.Join(want, " ") {
		t.Errorf("found %q, want %q", got, want)
	}
}
