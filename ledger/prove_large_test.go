package ledger_test

import (
	"context"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// chargesSetting is the environment variable with the number of old paid charges in
// TestProve_Cost. make proof sets it to a million.
const chargesSetting = "GAROUPA_TEST_CHARGES"

// manyCharges gives the gateway's test project n charges, paid and settled, one per second
// until an hour ago.
func manyCharges(t *testing.T, g *paymentstest.Gateway, n int) {
	t.Helper()
	begun := g.Clock.Now().Add(-time.Hour - time.Duration(n)*time.Second)
	values := strings.NewReplacer("@project", "'"+g.Test.ProjectID+"'", "@account", "'"+g.Account.ID+"'",
		"@n", strconv.Itoa(n), "@begun", "'"+begun.Format(time.RFC3339)+"'")
	// This connection sets no time-outs, unlike the gateway's: a million rows take minutes.
	conn, err := pgx.Connect(t.Context(), g.DB.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	// The search index of charges does not matter here, and would take most of the time.
	_, err = conn.Exec(t.Context(), `DO $$ DECLARE name text; BEGIN
			FOR name IN SELECT indexname FROM pg_indexes WHERE tablename = 'checkouts'
				AND indexname ~ '(customer|external|page|status|creation|link)'
			LOOP EXECUTE 'DROP INDEX ' || name; END LOOP; END $$`)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`SET session_replication_role = replica`,
		`INSERT INTO checkouts (id, project_id, livemode, status, amount, txid, copy_paste, qr_png, description,
				external_id, created_at, expires_at, paid_at, settles_at, settlement_status, settlement_amount)
			SELECT 'chk_' || lpad(to_hex(n), 20, '0'), @project, false, 'PAID', 1000, md5(n::text), 'x', '', 'x', 'x',
				paid, paid + interval '1 hour', paid, paid, 'AVAILABLE', 990
			FROM generate_series(1, @n) n
				CROSS JOIN LATERAL (SELECT @begun::timestamptz + n * interval '1 second' AS paid) p`,
		`INSERT INTO payments (id, livemode, end_to_end_id, txid, checkout_id, settles, amount, fee, paid_at,
				recorded_at)
			SELECT 'pay_' || lpad(to_hex(n), 20, '0'), false, 'E' || n, 'big' || n, 'chk_' || lpad(to_hex(n), 20, '0'),
				true, 1000, 10, paid, paid
			FROM generate_series(1, @n) n
				CROSS JOIN LATERAL (SELECT @begun::timestamptz + n * interval '1 second' AS paid) p`,
		`INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at)
			SELECT l.fact || lpad(to_hex(n), 20, '0'), l.line, l.giver, l.taker, l.amount,
				@begun::timestamptz + n * interval '1 second'
			FROM generate_series(1, @n) n CROSS JOIN (VALUES
				('payment/pay_', 0, 'platform/test/clearing', @account || '/test/pending', 1000),
				('payment/pay_', 1, @account || '/test/pending', 'platform/test/fees', 10),
				('settlement/chk_', 0, @account || '/test/pending', @account || '/test/available', 990))
					AS l (fact, line, giver, taker, amount)`,
		`VACUUM (ANALYZE)`,
	} {
		if _, err := conn.Exec(t.Context(), values.Replace(sql)); err != nil {
			t.Fatal(err)
		}
	}
}

// openCounted opens the gateway's database with one connection per pool. What a connection
// reads is counted only after that connection has reported it.
func openCounted(t *testing.T, g *paymentstest.Gateway) *models.DB {
	t.Helper()
	address, err := url.Parse(g.DB.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	values := address.Query()
	values.Set("pool_max_conns", "1")
	address.RawQuery = values.Encode()
	db, err := models.Open(t.Context(), address.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// reads returns the numbers of rows and table blocks that all connections have read so far.
func reads(t *testing.T, db *models.DB) (rows, blocks int) {
	t.Helper()
	const counted = `SELECT sum(t.seq_tup_read + coalesce(t.idx_tup_fetch, 0)),
			sum(coalesce(b.heap_blks_read, 0) + coalesce(b.heap_blks_hit, 0) +
				coalesce(b.idx_blks_read, 0) + coalesce(b.idx_blks_hit, 0))
		FROM pg_stat_user_tables t JOIN pg_statio_user_tables b USING (relid)`
	for _, pool := range []*pgxpool.Pool{db.Pool, db.Background} {
		if _, err := pool.Exec(t.Context(), "SELECT pg_stat_force_next_flush()"); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Pool.QueryRow(t.Context(), counted).Scan(&rows, &blocks); err != nil {
		t.Fatal(err)
	}
	return rows, blocks
}

// A proof reads only what is new: the rows and blocks that it reads do not grow with the
// number of charges that were proven before.
func TestProve_Cost(t *testing.T) {
	t.Parallel()
	charges := 50_000
	if text := os.Getenv(chargesSetting); text != "" {
		var err error
		if charges, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	g := paymentstest.New(t)
	manyCharges(t, g, charges)
	db := openCounted(t, g)
	last := g.Clock.Now()
	prove := func() (rows, blocks int) {
		t.Helper()
		rowsBefore, blocksBefore := reads(t, db)
		now := g.Clock.Now()
		if drift, err := ledger.Prove(t.Context(), db, last, now); err != nil || len(drift) > 0 {
			t.Fatal(drift, err)
		}
		last = now
		rows, blocks = reads(t, db)
		return rows - rowsBefore, blocks - blocksBefore
	}
	rows, blocks := prove()
	t.Logf("the first proof of %d charges read %d rows, %d blocks", charges, rows, blocks)
	for round := range 3 {
		g.Clock.Advance(time.Hour)
		if err := g.SnapshotLedger(t.Context()); err != nil {
			t.Fatal(err)
		}
		const fresh = 100
		for i := range fresh {
			c := sells(t, g, 1_00)
			if i%2 == 0 {
				continue
			}
			modelstest.Exec(t, g.DB, "UPDATE checkouts SET settles_at = created_at WHERE id = $1", c.ID)
		}
		if _, err := g.SettleDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows, blocks := prove()
		t.Logf("the proof of %d new charges read %d rows, %d blocks", fresh, rows, blocks)
		// Each new charge costs a few lookups in each table. In addition the newest proof
		// is read again (5,000 transfers), and whole ranges of blocks in which payments are
		// found by time.
		if mostRows, mostBlocks := 20_000+100*fresh, 10_000+200*fresh; rows > mostRows || blocks > mostBlocks {
			t.Errorf("round %d read %d rows and %d blocks, more than %d and %d", round, rows, blocks, mostRows,
				mostBlocks)
		}
	}
}
