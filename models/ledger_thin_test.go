package models_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// A batch of snapshots is found from where the last one ended, and each one's successor by the primary key: nothing
// reads the whole table, or the snapshots of other accounts.
func TestThinSnapshots_Plan(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	modelstest.Exec(t, db, `INSERT INTO ledger_snapshots (account_id, livemode, through_id, gross, fee, refunded,
			withdrawn, pending, available, reserved, blocked, taken_at)
		SELECT 'acc_' || account, false, n * 100, 0, 0, 0, 0, 0, 0, 0, 0, $1::timestamptz + n * interval '1 minute'
		FROM generate_series(1, 300) n, generate_series(1, 100) account ORDER BY n`, time.Now().AddDate(0, 0, -3))
	modelstest.Exec(t, db, `INSERT INTO ledger_proofs (number, after_id, through_id, transfers, content, hash,
			proven_at)
		VALUES (1, 0, 1000000, 1, sha256('x'), sha256('x'), now())`)
	modelstest.Exec(t, db, "ANALYZE ledger_snapshots")
	q := &explained{Querier: db.Pool}
	more, err := models.ThinSnapshots("hour")(t.Context(), q, time.Now())
	if err != nil || !more {
		t.Errorf("more %t, %v", more, err)
	}
	if strings.Contains(q.plan, "Seq Scan on ledger_snapshots") || !strings.Contains(q.plan, "Tid Scan") ||
		!strings.Contains(q.plan, "using ledger_snapshots_newest on ledger_snapshots") ||
		!strings.Contains(q.plan, "using ledger_snapshots_pkey on ledger_snapshots n") {
		t.Errorf("the statement runs as\n%s", q.plan)
	}
	left := modelstest.One[int](t, db, "SELECT count(*)::int FROM ledger_snapshots")
	if left < 27_900 || left > 28_100 {
		t.Errorf("a batch leaves %d of 30,000", left)
	}
}
