//go:build large

package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// copiedAtOnce is the time whose rows one statement writes.
const copiedAtOnce = 7 * 24 * time.Hour

// filler writes a shop's rows within the database, all in one transaction: PostgreSQL does not log what goes into a
// table that the same transaction emptied.
type filler struct {
	t        *testing.T
	conn     *pgx.Conn
	site     *largeShop
	copies   int
	endpoint string
	began    time.Time
}

func (f *filler) log(what string) {
	f.t.Helper()
	f.t.Logf("%s: %s", time.Since(f.began).Round(time.Second), what)
}

func (f *filler) connect() {
	f.t.Helper()
	var err error
	if f.conn, err = pgx.Connect(f.t.Context(), f.site.DB.Pool.Config().ConnString()); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { f.conn.Close(context.Background()) })
	f.exec("SET synchronous_commit = off; SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'; SET jit = off")
	f.exec("SET session_replication_role = replica") // no triggers: the copies' books agree as the model's do
}

func (f *filler) exec(sql string, args ...any) {
	f.t.Helper()
	if _, err := f.conn.Exec(f.t.Context(), sql, args...); err != nil {
		f.t.Fatalf("%s: %v", sql, err)
	}
}

// column returns the values of a query with one column.
func (f *filler) column(sql string, args ...any) []string {
	f.t.Helper()
	rows, err := f.conn.Query(f.t.Context(), sql, args...)
	if err != nil {
		f.t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		f.t.Fatalf("%s: %v", sql, err)
	}
	return values
}

// copied are the tables of which the model has rows, each with the time that orders it, with the value of its key for
// others, and with the values in which copies differ besides ids and times.
var copied = []struct {
	table, time string
	values      map[string]string
}{
	{"checkouts", "created_at", map[string]string{
		"txid": txidOf("id_at"), "external_id": "external_id || '-' || k",
		"customer_email": "k || '.' || customer_email",
	}},
	{"payments", "recorded_at", map[string]string{
		"txid":          txidOf("checkout_id_at"),
		"end_to_end_id": "left(end_to_end_id, -16) || left(md5(end_to_end_id || k), 16)",
	}},
	{"ledger_transfers", "recorded_at", map[string]string{
		"fact": "split_part(fact, '/', 1) || '/' || " + idOf("split_part(fact, '/', 2)", "fact_at"),
	}},
	{"refunds", "created_at", map[string]string{"return_id": "return_id || '-' || k"}},
	{"events", "created_at", map[string]string{
		"id":    "'evt_' || lpad(to_hex(floor(date_part('epoch', id_at + shift))::bigint), 8, '0') || " + bits("id"),
		"month": "date_trunc('month', (coalesce(refund_id_at, checkout_id_at) + shift) AT TIME ZONE 'UTC')::date",
	}},
}

// idsOf are the columns that hold an id of a row that is copied too.
var idsOf = []string{"id", "checkout_id", "payment_id", "refund_id"}

// idOf is the id of a copy: with its hour and 64 bits, as those that the program makes (models.NewCheckoutID).
func idOf(id, at string) string { return "left(" + id + ", 4) || " + hourOf(at) + " || " + bits(id) }

// txidOf begins with the hour of its checkout.
func txidOf(at string) string { return hourOf(at) + " || left(md5(txid || k), 28)" }

func hourOf(at string) string {
	return "lpad(to_hex(floor(date_part('epoch', " + at + " + shift) / 3600)::bigint & 65535), 4, '0')"
}

func bits(id string) string { return "lpad(to_hex(hashtextextended(" + id + ", k)), 16, '0')" }

// model keeps the rows of the model apart, each with the times of the rows to which its ids belong.
func (f *filler) model() {
	f.exec(`CREATE TEMP TABLE model_ids ON COMMIT DROP AS SELECT id, created_at AS at FROM checkouts
		UNION ALL SELECT id, recorded_at FROM payments UNION ALL SELECT id, created_at FROM refunds
		UNION ALL SELECT id, created_at FROM events`)
	f.exec("CREATE INDEX ON model_ids (id); ANALYZE model_ids")
	for _, c := range copied {
		times := ""
		for _, id := range f.idColumns(c.table) {
			times += fmt.Sprintf(", (SELECT at FROM model_ids WHERE id = t.%[1]s) AS %[1]s_at", id)
		}
		if c.table == "ledger_transfers" {
			times = ", (SELECT at FROM model_ids WHERE id = split_part(fact, '/', 2)) AS fact_at"
		}
		f.exec(fmt.Sprintf("CREATE TEMP TABLE model_%[1]s ON COMMIT DROP AS SELECT *, row_number() OVER "+
			"(ORDER BY %[2]s, id) AS place%[3]s FROM %[1]s t", c.table, c.time, times))
		f.exec(fmt.Sprintf("CREATE INDEX ON model_%[1]s (%[2]s); ANALYZE model_%[1]s", c.table, c.time))
	}
}

// idColumns returns the columns of a table that idOf makes.
func (f *filler) idColumns(table string) []string {
	if table == "ledger_transfers" {
		return nil
	}
	return f.column(`SELECT attname::text FROM pg_attribute WHERE attrelid = $1::regclass AND attname = ANY($2)`, table,
		idsOf)
}

// empty empties the tables that the filler writes, and drops those of their indexes that no constraint needs. It
// returns what makes these again, which takes less time than to keep them.
func (f *filler) empty() (restore func()) {
	f.t.Helper()
	tables := []string{"customers", "checkout_words", "checkout_hours", "payment_link_days", "ledger_snapshots",
		"ledger_hours", "webhook_deliveries", "webhook_attempts"}
	for _, c := range copied {
		tables = append(tables, c.table)
	}
	f.exec("TRUNCATE " + strings.Join(tables, ", ") + " RESTART IDENTITY CASCADE")
	f.exec("UPDATE ledger_hours_through SET through_id = 0")
	tables = append(tables, "api_requests", "audit_log")
	const indexes = ` FROM pg_index i JOIN pg_class c ON c.oid = indexrelid
		WHERE indrelid IN (SELECT t.oid FROM unnest($1::text[]::regclass[]) AS t (oid)
			UNION SELECT relid FROM unnest($1::text[]::regclass[]) AS t (oid), pg_partition_tree(t.oid))
		AND NOT relispartition AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = c.oid) ORDER BY c.oid`
	create := f.column("SELECT replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ')"+indexes, tables)
	for _, drop := range f.column("SELECT format('DROP INDEX %s', c.oid::regclass)"+indexes, tables) {
		f.exec(drop)
	}
	return func() {
		for _, sql := range create {
			f.exec(sql)
		}
		f.log(fmt.Sprintf("%d indexes made", len(create)))
	}
}

// copy writes the copies in the order of time. Events are written if they are younger than 90 days, since they end
// then.
func (f *filler) copy() {
	now := f.site.Clock.Now()
	for _, c := range copied {
		sql, from := f.insert(c.table, c.time, c.values), opened(f.site)
		if c.table == "events" {
			from = now.AddDate(0, 0, -90)
		}
		for ; from.Before(now); from = from.Add(copiedAtOnce) {
			until := from.Add(copiedAtOnce)
			if until.After(now) {
				until = now.Add(time.Microsecond)
			}
			f.exec(sql, from, until, f.copies, between/time.Duration(f.copies), between)
		}
		f.exec("ANALYZE " + c.table)
		f.log(c.table + " written")
	}
	f.exec("UPDATE account_books SET uncovered = uncovered * $1, completed = completed * $1", f.copies)
}

// insert returns the statement for the copies, $3 of each row, whose time is in a span ($1, $2). Each copy is $4 later
// than the one before, and the last one less than $5 later than the first.
func (f *filler) insert(table, order string, values map[string]string) string {
	f.t.Helper()
	ids := f.idColumns(table)
	var names, from []string
	for _, column := range f.column(`SELECT attname::text FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0
		AND NOT attisdropped AND attgenerated = '' AND attidentity = '' AND attname NOT IN ('tx', 'seen')`, table) {
		value := column
		switch {
		case values[column] != "":
			value = values[column]
		case slices.Contains(ids, column):
			value = idOf(column, column+"_at")
		case strings.HasSuffix(column, "_at"):
			value = column + " + shift"
		}
		names, from = append(names, column), append(from, value)
	}
	return fmt.Sprintf(`INSERT INTO %[1]s (%[2]s) SELECT %[3]s FROM model_%[1]s, (
			SELECT k, k * $4::interval AS shift FROM generate_series(0, $3::bigint - 1) k OFFSET 0) copies
		WHERE %[4]s >= $1::timestamptz - $5::interval AND %[4]s < $2 AND %[4]s + shift >= $1 AND %[4]s + shift < $2
		ORDER BY %[4]s + shift, place`, table, strings.Join(names, ", "), strings.Join(from, ", "), order)
}

// records writes a delivery with its attempt for each event, and what the program records of calls and of members.
func (f *filler) records() {
	f.exec(`INSERT INTO webhook_deliveries (id, month, event_id, endpoint_id, status, attempts, created_at, finished_at)
		SELECT 'dlv_' || substr(id, 5), month, id, $1, 'DELIVERED', 1, created_at, created_at + interval '80 ms'
		FROM events ORDER BY created_at`, f.endpoint)
	f.exec(`INSERT INTO webhook_attempts (delivery_id, month, number, started_at, duration_ms, status_code, error_class,
			headers)
		SELECT id, month, 1, created_at, 80, 200, '', '{"X-Svc-Signature": ["t=1,v1=9f86d081884c7d659a2feaa0c55ad015"]}'
		FROM webhook_deliveries ORDER BY created_at`)
	charges := f.copies * modelCharges
	f.exec(`INSERT INTO api_requests (project_id, livemode, request_id, at, method, path, status, duration, key_id,
			request, answer, object_id)
		SELECT $1, false, 'req_' || lpad(to_hex(i), 24, '0'), $2::timestamptz - ($3 - i) * (interval '30 days' / $3),
			'POST', '/v1/checkouts', CASE WHEN i % 50 = 0 THEN 400 ELSE 201 END, 4000, 'key_00000000000000000000',
			repeat('{"amount":1000}', 20), repeat('{"status":"PENDING"}', 40), 'chk_' || lpad(to_hex(i), 20, '0')
		FROM generate_series(1, $3::bigint) i`, f.site.Test.ProjectID, f.site.Clock.Now(), charges/10)
	f.exec(`INSERT INTO audit_log (at, actor, account_id, action, object_id, detail, ip)
		SELECT $2::timestamptz - ($3 - i) * (interval '365 days' / $3), 'usr_00000000000000000000', $1, 'link.created',
			'lnk_' || lpad(to_hex(i), 20, '0'), '{}', '127.0.0.1'
		FROM generate_series(1, $3::bigint) i`, f.site.Account.ID, f.site.Clock.Now(), charges/20)
	f.log("deliveries, calls and the audit log written")
}
