package jobs_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"garoupa/jobs"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
)

// River runs the jobs of the books: they take snapshots and seal the audit log.
func TestBooks(t *testing.T) {
	t.Parallel()
	g := newGateway(t, quick...)
	c := g.checkout(t, payments.NewCheckout{Amount: 100_00})
	if err := g.payments.SimulatePayment(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	g.start(t)
	queue := func(kind string) {
		t.Helper()
		modelstest.Exec(t, g.DB, `INSERT INTO river_job (kind, queue, args, max_attempts)
			VALUES ($1, 'books', '{}', 1)`,
			kind)
	}
	for _, kind := range []string{"snapshot_ledger", "check_books"} {
		queue(kind)
		eventually(t, kind, func() bool {
			var state string
			if err := g.DB.Pool.QueryRow(t.Context(), `SELECT state FROM river_job WHERE kind = $1
				ORDER BY id DESC LIMIT 1`,
				kind).Scan(&state); err != nil {
				t.Fatal(err)
			}
			if state == "discarded" || state == "cancelled" {
				t.Fatalf("%s is %s", kind, state)
			}
			return state == "completed"
		})
	}
	var snapshots int
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM ledger_snapshots").Scan(&snapshots); err != nil ||
		snapshots == 0 {
		t.Errorf("%d snapshots, %v", snapshots, err)
	}
	if seals, err := models.AuditSealed(t.Context(), g.DB.Pool); err != nil || seals.Lines == 0 {
		t.Errorf("the audit log's seals are %+v, %v", seals, err)
	}
}

// The check logs each row that does not agree as an error, and the hash of each new seal.
func TestCheckBooks_Loud(t *testing.T) {
	g := newGateway(t, quick...) // not parallel: it reads the process's log
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	check := func() string {
		t.Helper()
		log.Reset()
		if err := jobs.CheckBooks(context.Background(), g.payments); err != nil {
			t.Fatal(err)
		}
		return log.String()
	}
	if text := check(); strings.Contains(text, "level=ERROR") { // a slow query may log a warning
		t.Errorf("correct books are logged as %s", text)
	}
	_, err := g.DB.Pool.Exec(t.Context(), `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount,
		recorded_at)
		VALUES ('gift/1', 0, 'platform/test/clearing', 'platform/test/fees', 5, now())`)
	if err != nil {
		t.Fatal(err)
	}
	if text := check(); !strings.Contains(text, "level=ERROR") ||
		!strings.Contains(text, "gift/1: platform/test/clearing to platform/test/fees is 0.00, the books say 0.05") {
		t.Errorf("drift is logged as %s", text)
	}

	seal := func() string {
		t.Helper()
		log.Reset()
		if err := jobs.SealAudit(context.Background(), g.Merchants); err != nil {
			t.Fatal(err)
		}
		return log.String()
	}
	text := seal()
	seals, err := models.AuditSealed(t.Context(), g.DB.Pool)
	if err != nil || strings.Contains(text, "level=ERROR") ||
		!strings.Contains(text, fmt.Sprintf("seal=1 through=%d sha256=%x", seals.Through, seals.Hash)) {
		t.Errorf("the seal %+v is logged as %s, %v", seals, text, err)
	}
	for _, sql := range []string{"ALTER TABLE audit_log DISABLE TRIGGER audit_log_final",
		"UPDATE audit_log SET actor = 'system' WHERE id = (SELECT min(id) FROM audit_log)"} {
		modelstest.Exec(t, g.DB, sql)
	}
	if text := seal(); strings.Count(text, "level=ERROR") != 1 || !strings.Contains(text, "what=line_changed id=") {
		t.Errorf("a changed line is logged as %s", text)
	}
}
