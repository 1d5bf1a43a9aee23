//go:build large

package web_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"garoupa/models"
)

// year writes what the program's jobs would have written of the copies by now, hour by hour. A job that finds it goes
// on from there.
func (f *filler) year() {
	now := f.site.Clock.Now()
	f.snapshots(now)
	f.proofs()
	settled := now.Add(-time.Minute)
	f.exec(`INSERT INTO customers (project_id, livemode, key, checkout_id, last_at, name, email)
		SELECT * FROM (SELECT DISTINCT ON (key) project_id, livemode, key, c.id, created_at, customer_name,
				customer_email
			FROM checkouts c CROSS JOIN LATERAL (SELECT customer_key(document_digest, customer_document, customer_email,
				customer_name) AS key) n
			WHERE key IS NOT NULL AND created_at < $1 ORDER BY key, created_at DESC, c.id DESC) latest
		ORDER BY created_at`, settled)
	f.exec("UPDATE customers_until SET since = $1, until = $2", opened(f.site), settled)
	f.log("customers written")
	f.exec(`INSERT INTO checkout_words (checkout_id, words)
		SELECT id, checkout_vector(project_id, livemode, customer_name, external_id) FROM checkouts
		WHERE created_at < $1`,
		settled)
	f.exec("UPDATE checkout_words_until SET since = $1, until = $2", opened(f.site), settled)
	f.log("words written")
}

// snapshots writes the balances of each minute in which money moved, and leaves those that the thinning leaves
// (models.InsertLedgerSnapshots, models.ThinSnapshots).
func (f *filler) snapshots(now time.Time) {
	f.exec(`INSERT INTO ledger_snapshots (account_id, livemode, through_id, gross, fee, refunded, withdrawn, pending,
			available, reserved, blocked, taken_at)
		WITH minutes AS (
			SELECT date_trunc('minute', recorded_at) + interval '1 minute' AS taken_at, from_book, to_book,
				max(id) AS id, sum(amount) AS amount FROM ledger_transfers GROUP BY 1, 2, 3
		), moved AS (
			SELECT taken_at, id, to_book AS book, from_book AS other, amount FROM minutes
				WHERE starts_with(to_book, 'acc_')
			UNION ALL
			SELECT taken_at, id, from_book, to_book, -amount FROM minutes WHERE starts_with(from_book, 'acc_')
		), since AS (
			SELECT split_part(book, '/', 1) AS account_id, split_part(book, '/', 2) = 'live' AS livemode, taken_at,
				max(id) AS through_id,
				coalesce(sum(amount) FILTER (WHERE other LIKE '%/clearing' OR other LIKE '%/suspense'), 0) AS gross,
				coalesce(-sum(amount) FILTER (WHERE other LIKE '%/fees'), 0) AS fee,
				coalesce(-sum(amount) FILTER (WHERE other LIKE '%/refunds'), 0) AS refunded,
				coalesce(-sum(amount) FILTER (WHERE other LIKE '%/paid_out'), 0) AS withdrawn,
				coalesce(sum(amount) FILTER (WHERE book LIKE '%/pending'), 0) AS pending,
				coalesce(sum(amount) FILTER (WHERE book LIKE '%/available'), 0) AS available,
				coalesce(sum(amount) FILTER (WHERE book LIKE '%/reserved'), 0) AS reserved,
				coalesce(sum(amount) FILTER (WHERE book LIKE '%/blocked'), 0) AS blocked
			FROM moved GROUP BY 1, 2, 3
		), taken AS (
			SELECT account_id, livemode, through_id, sum(gross) OVER w AS gross, sum(fee) OVER w AS fee,
				sum(refunded) OVER w AS refunded, sum(withdrawn) OVER w AS withdrawn, sum(pending) OVER w AS pending,
				sum(available) OVER w AS available, sum(reserved) OVER w AS reserved, sum(blocked) OVER w AS blocked,
				taken_at, lead(taken_at) OVER w AS later_at, lead(through_id) OVER w AS later_id
			FROM since WHERE taken_at <= $1 WINDOW w AS (PARTITION BY account_id, livemode ORDER BY taken_at)
		)
		SELECT account_id, livemode, through_id, gross, fee, refunded, withdrawn, pending, available, reserved, blocked,
			taken_at
		FROM taken WHERE ledger_thins(CASE WHEN taken_at < $1::timestamptz - interval '32 days' THEN 'day'
			WHEN taken_at < $1::timestamptz - interval '1 day' THEN 'hour' END, taken_at, through_id, later_at,
				later_id)
			IS NOT true
		ORDER BY through_id`, now)
	f.log("snapshots of the books written")
}

// proofs chains the proofs of all lines of the books but the last, which the program proves (models.ProveLedger).
func (f *filler) proofs() {
	f.exec(`INSERT INTO ledger_proofs (number, after_id, through_id, transfers, content, hash, proven_at)
		WITH RECURSIVE pieces AS MATERIALIZED (
			SELECT number, p.* FROM generate_series(1, (SELECT max(id) FROM ledger_transfers) / $1::bigint) number
			CROSS JOIN LATERAL (SELECT count(*) AS transfers, max(recorded_at) AS at,
				sha256(convert_to(string_agg(jsonb_build_array(t.id, t.fact, t.line, t.from_book, t.to_book, t.amount,
					(extract(epoch FROM t.recorded_at) * 1000000)::bigint)::text, ',' ORDER BY t.id),
					'UTF8')) AS content
				FROM ledger_transfers t WHERE id > (number - 1) * $1 AND id <= number * $1) p
		), chain AS (
			SELECT p.*, sha256(decode(repeat('00', 32), 'hex') || content) AS hash FROM pieces p WHERE number = 1
			UNION ALL
			SELECT p.*, sha256(c.hash || p.content) FROM chain c JOIN pieces p ON p.number = c.number + 1
		)
		SELECT number, (number - 1) * $1, number * $1, transfers, content, hash, at FROM chain`, provenAtOnce)
	f.log("proofs of the books written")
}

// provenAtOnce is how many lines the program proves in one.
const provenAtOnce = 5000

// figures lets the figures of hours and links, which begin with the present, have the past.
func (f *filler) figures() {
	t, s := f.t, f.site
	until := s.Clock.Now().Truncate(time.Hour).Add(-time.Hour)
	const day = 24 * time.Hour
	for from := opened(s).Truncate(day).Add(3 * time.Hour); from.Before(until); from = from.Add(day) {
		next := from.Add(day)
		if next.After(until) {
			next = until
		}
		f.exec("UPDATE checkout_hours_until SET until = $1", next)
		f.exec(`UPDATE payment_link_days_until SET since = $2, recorded = $3, until = $1::timestamptz
			- make_interval(hours => (extract(hour FROM $1::timestamptz)::integer + 21) % 24)`, next, opened(s), until)
		if err := s.DB.InTx(t.Context(), func(tx *models.Tx) error {
			return errors.Join(models.RecountHours(tx, s.Test, from), models.RecountLinkDays(tx, s.Test, from))
		}); err != nil {
			t.Fatal(err)
		}
	}
	f.exec("UPDATE checkout_hours_until SET recorded = $1, converted = $1, summed_from = $2, summed_until = until",
		until, opened(s))
	f.exec("VACUUM (ANALYZE) checkout_hours, payment_link_days")
	f.log("figures of hours and links written")
}

// work lets the program's jobs do once what is left of the year.
func (f *filler) work() {
	all := f.site.jobs()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		began := time.Now()
		if err := all[name](f.t.Context()); err != nil {
			f.t.Fatalf("%s, first: %v", name, err)
		}
		f.log(fmt.Sprintf("%s took %s", name, time.Since(began).Round(time.Millisecond)))
	}
	f.exec("ANALYZE") // as autovacuum does
}
