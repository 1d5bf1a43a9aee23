//go:build large

package web_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"garoupa/ledger"
	"garoupa/models"
)

// What the filler writes in the place of the program's jobs is what they write. It is compared in the small shop.
func TestLarge_Agrees(t *testing.T) {
	s := openShop(t, 1)
	now := s.Clock.Now()
	drift, err := ledger.Check(t.Context(), s.DB.Background)
	if err != nil || len(drift) > 0 {
		t.Errorf("the books: %d, %q, %v", len(drift), drift[:min(len(drift), 3)], err)
	}
	s.again(t, "ledger_snapshots", "through_id", func(tx *models.Tx) error {
		return tx.PGX(func(ctx context.Context, conn models.Querier) error { return snapshotsAgain(ctx, conn) })
	})
	s.again(t, "customers", "key", func(tx *models.Tx) error {
		if _, err := tx.Exec("UPDATE customers_until SET since = @now, until = @now",
			pgx.NamedArgs{"now": now.Add(-time.Minute)}); err != nil {
			return err
		}
		return whileMore(func() (bool, error) { return models.GatherCustomers(tx, now) })
	})
	s.again(t, "checkout_words", "checkout_id", func(tx *models.Tx) error {
		if _, err := tx.Exec("UPDATE checkout_words_until SET since = until"); err != nil {
			return err
		}
		return whileMore(func() (bool, error) { return models.WriteWords(tx, now) })
	})
}

// errCompared ends a transaction whose changes are not wanted.
var errCompared = errors.New("compared")

// again empties a table, lets the program fill it, compares its rows with those of before, and leaves these there.
func (s *largeShop) again(t *testing.T, table, order string, fill func(tx *models.Tx) error) {
	t.Helper()
	read := func(tx *models.Tx) (found []string, err error) {
		return found, tx.PGX(func(ctx context.Context, conn models.Querier) error {
			rows, err := conn.Query(ctx, "SELECT row_to_json(t)::text FROM "+table+" t ORDER BY "+order)
			if err != nil {
				return err
			}
			found, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
	}
	var want, got []string
	err := s.DB.InTx(t.Context(), func(tx *models.Tx) (err error) {
		if want, err = read(tx); err != nil {
			return err
		}
		for _, sql := range []string{"SET LOCAL session_replication_role = replica",
			"CREATE TEMP TABLE before ON COMMIT DROP AS SELECT * FROM " + table, "TRUNCATE " + table} {
			if _, err := tx.Exec(sql); err != nil {
				return err
			}
		}
		if err := fill(tx); err != nil {
			return err
		}
		if got, err = read(tx); err != nil {
			return err
		}
		return errCompared
	})
	if !errors.Is(err, errCompared) {
		t.Fatalf("%s: %v", table, err)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("%s: %d rows, the program writes %d: %.2000s", table, len(want), len(got), diff)
	}
}

// snapshotsAgain takes the snapshots of before, one after the other.
func snapshotsAgain(ctx context.Context, conn models.Querier) error {
	rows, err := conn.Query(ctx, "SELECT through_id, taken_at FROM before ORDER BY through_id")
	if err != nil {
		return err
	}
	taken, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Through int64
		At      time.Time
	}])
	for _, s := range taken {
		if err == nil {
			_, err = models.InsertLedgerSnapshots(ctx, conn, s.Through, s.At)
		}
	}
	return err
}

func whileMore(do func() (more bool, err error)) error {
	for more := true; more; {
		var err error
		if more, err = do(); err != nil {
			return err
		}
	}
	return nil
}
