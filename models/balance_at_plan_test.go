package models_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// measured counts the transfers that queries read, by the plans by which they ran.
type measured struct {
	models.Querier
	plan string
	read float64
}

// A node of a plan, and the rows of a node that its filter left out, per loop.
var (
	planNode    = regexp.MustCompile(`on (\w+).* rows=([0-9.]+) loops=(\d+)`)
	planRemoved = regexp.MustCompile(`Rows Removed by Filter: (\d+)`)
)

// QueryRow implements models.Querier.
func (m *measured) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := m.Querier.Query(ctx, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) "+sql, args...)
	if err != nil {
		return m.Querier.QueryRow(ctx, sql, args...)
	}
	lines, _ := pgx.CollectRows(rows, pgx.RowTo[string])
	m.plan = strings.Join(lines, "\n")
	var loops float64 // of the last node; 0 if it reads no transfers
	for _, line := range lines {
		if node := planNode.FindStringSubmatch(line); node != nil {
			if loops = 0; node[1] == "ledger_transfers" {
				each, _ := strconv.ParseFloat(node[2], 64)
				loops, _ = strconv.ParseFloat(node[3], 64)
				m.read += each * loops
			}
		} else if removed := planRemoved.FindStringSubmatch(line); removed != nil {
			each, _ := strconv.ParseFloat(removed[1], 64)
			m.read += each * loops
		}
	}
	return m.Querier.QueryRow(ctx, sql, args...)
}

// A balance of the past reads the transfers of about its hour, by the indexes of the account's books, however many
// there were before and since; of an hour that is in ledger_hours not yet, those after the latest snapshot.
func TestBalanceAt_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	began, other := g.Clock.Now().Truncate(time.Hour), g.Merchant(t, "other@example.com")
	const hours, each = 12, 1_000
	for hour := range hours {
		for half := range 2 { // a snapshot is in the middle of each hour
			for _, account := range []string{g.Account.ID, other.Account.ID} {
				modelstest.Exec(t, g.DB, `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount,
						recorded_at)
					SELECT 'payment/' || $1 || $4::int || '-' || n, 0, 'platform/test/clearing',
						$1 || '/test/pending', 1, $2
					FROM generate_series(1, $3::int) n`, account,
					began.Add(time.Duration(hour)*time.Hour+time.Duration(half)*30*time.Minute), each/2, hour*2+half)
			}
			if hour == hours-1 {
				continue // what the last hour holds was recorded after the snapshot
			}
			if err := g.SnapshotLedger(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	modelstest.Exec(t, g.DB, "ANALYZE ledger_transfers, ledger_snapshots, ledger_hours")
	for hour := 1; hour <= hours; hour++ {
		q := &measured{Querier: g.DB.Pool}
		b, err := models.BalanceAt(t.Context(), q, g.Account.ID, models.Test, began.Add(time.Duration(hour)*time.Hour))
		if err != nil || b.Pending != money.Cents(hour*each) || b.Gross != b.Pending ||
			!strings.Contains(q.plan, "ledger_transfers_in") ||
			strings.Contains(q.plan, "Seq Scan on ledger_transfers") {
			t.Errorf("%d hours: %+v, %v by\n%s", hour, b, err, q.plan)
		}
		if q.read > 2*each {
			t.Errorf("%d hours: %s transfers are read by\n%s", hour, strconv.FormatFloat(q.read, 'f', 0, 64), q.plan)
		}
	}
}
