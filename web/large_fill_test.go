//go:build large

package web_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

const (
	// modelCharges happen by the program's own operations. All others are copies of them.
	modelCharges = 10_000
	largeDays    = 365
	largeSpan    = largeDays * 24 * time.Hour
	// between is the time between two charges of the model.
	between    = largeSpan / modelCharges
	largeLinks = 20
)

// fillShop writes the sales of a shop in a year: some by the program's operations, and copies of them until there are
// as many as asked. Copies differ in their ids, times and buyers. Their rows are in the order of time, as they
// would be if they had happened.
func fillShop(t *testing.T, s *webtest.Site, copies int) {
	t.Helper()
	modelstest.Exec(t, s.DB, "UPDATE accounts SET created_at = $1", opened(s))
	writeModel(t, s)
	endpoint, _ := s.Endpoint(t, "https://example.com/hook")
	conn, err := pgx.Connect(t.Context(), s.DB.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	f := &filler{t: t, conn: conn, site: s, copies: copies, endpoint: endpoint.ID}
	f.exec("SET synchronous_commit = off; SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'")
	f.exec("SET session_replication_role = replica") // no triggers: the copies' books agree as the model's do
	restore := f.dropIndexes("checkouts", "payments", "refunds", "audit_log")
	f.model()
	f.steps()
	f.records()
	restore()
	f.exec("UPDATE account_books SET uncovered = uncovered * $1, completed = completed * $1", copies)
	f.exec("VACUUM (ANALYZE) checkouts, payments, ledger_transfers, refunds, events, webhook_deliveries, " +
		"webhook_attempts, api_requests, audit_log")
}

// opened returns when the shop began.
func opened(s *webtest.Site) time.Time { return s.Clock.Now().Add(-largeSpan - 24*time.Hour) }

// writeModel writes the sales that are copied.
func writeModel(t *testing.T, s *webtest.Site) {
	t.Helper()
	random := rand.New(rand.NewPCG(18, 8))
	var links []*models.PaymentLink
	for i := range largeLinks {
		sale := s.Sale(t, func(p *merchants.ProductForm) {
			p.Slug, p.Amount = fmt.Sprintf("item-%d", i), money.Cents(1000+500*i)
		})
		link, err := models.PaymentLinkByID(t.Context(), s.DB.Pool, s.Test, sale.Link)
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, link)
	}
	first, last := "Ana Bruno Carla Davi Elisa Fábio Gabi Hugo Iara João", "Menezes Souza Lima Prado Rocha Alves Dias"
	began := s.Clock.Now().Add(-largeSpan - 2*between) // the last copies are paid by now
	sales := make([]payments.PastSale, modelCharges)
	for i := range sales {
		at := began.Add(time.Duration(i) * between)
		sale := payments.PastSale{CreatedAt: at}
		sale.ExpiresIn, sale.Metadata = time.Hour, []byte("{}")
		name := pick(random, first) + " " + pick(random, last)
		email := fmt.Sprintf("%d@example.com", random.IntN(modelCharges/3))
		sale.Customer.Name, sale.Customer.Email = &name, &email
		if i%2 == 0 {
			sale.Link = links[random.IntN(len(links))]
		} else {
			sale.Amount, sale.ExternalID = money.Cents(500+100*random.IntN(500)), fmt.Sprintf("pedido-%d", i)
			sale.Description = "Vaso Lua Nova"
		}
		switch n := random.IntN(100); {
		case n < 80:
			sale.PaidAt = at.Add(time.Duration(20+random.IntN(600)) * time.Second)
			if n == 0 {
				sale.RefundedAt, sale.RefundedBy, sale.Reason = at.Add(30*time.Hour), s.Owner, "Desistiu"
			}
		case n < 82:
			sale.CancelledAt = at.Add(time.Minute)
		}
		sales[i] = sale
	}
	for day := range slices.Chunk(sales, modelCharges/largeDays) {
		if err := s.WriteHistory(t.Context(), s.Test, s.Account, day); err != nil {
			t.Fatal(err)
		}
		snapshot(t, s)
	}
}

// snapshot lets balances begin here. The program does so every minute.
func snapshot(t *testing.T, s *webtest.Site) {
	t.Helper()
	if err := s.SnapshotLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func pick(random *rand.Rand, words string) string {
	all := strings.Fields(words)
	return all[random.IntN(len(all))]
}

// filler copies the model's rows within the database.
type filler struct {
	t        *testing.T
	conn     *pgx.Conn
	site     *webtest.Site
	copies   int
	endpoint string
}

func (f *filler) exec(sql string, args ...any) {
	f.t.Helper()
	if _, err := f.conn.Exec(f.t.Context(), sql, args...); err != nil {
		f.t.Fatalf("%s: %v", sql, err)
	}
}

// dropIndexes drops the indexes of tables that no constraint needs, and returns what makes them again, which takes
// less time than to keep them.
func (f *filler) dropIndexes(tables ...string) (restore func()) {
	f.t.Helper()
	rows, err := f.conn.Query(f.t.Context(), `SELECT indexdef, format('DROP INDEX %I', indexname) FROM pg_indexes
		WHERE tablename = ANY($1) AND indexname NOT IN (SELECT conname FROM pg_constraint)`, tables)
	if err != nil {
		f.t.Fatal(err)
	}
	indexes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Create, Drop string }])
	if err != nil {
		f.t.Fatal(err)
	}
	for _, index := range indexes {
		f.exec(index.Drop)
	}
	return func() {
		for _, index := range indexes {
			f.exec(index.Create)
		}
	}
}

// copied are the tables of which the model has rows, in the order in which they refer to each other, each with the
// time that orders it, and with the values in which copies differ besides ids and times.
var copied = []struct {
	table, time string
	values      map[string]string
}{
	{"checkouts", "created_at", map[string]string{
		"txid": "md5(txid || k)", "external_id": "external_id || '-' || k",
		"customer_email": "k || '.' || customer_email",
	}},
	{"payments", "recorded_at", map[string]string{
		"txid":          "md5(txid || k)",
		"end_to_end_id": "left(end_to_end_id, -16) || left(md5(end_to_end_id || k), 16)",
	}},
	{"ledger_transfers", "recorded_at", map[string]string{
		"fact": "split_part(fact, '/', 1) || '/' || pg_temp.other(substr(fact, strpos(fact, '/') + 1), k)",
	}},
	{"refunds", "created_at", map[string]string{"return_id": "return_id || '-' || k"}},
	{"events", "created_at", map[string]string{
		"id": "left(id, 12) || left(md5(id || k), 16)",
	}},
}

// idsOf are the columns that hold an id of a row that is copied too.
var idsOf = []string{"id", "checkout_id", "payment_id", "refund_id"}

// model keeps the rows of the model apart, and a function for the ids of a copy.
func (f *filler) model() {
	f.exec(`CREATE FUNCTION pg_temp.other(id text, k bigint) RETURNS text LANGUAGE sql IMMUTABLE
		AS $$ SELECT left(id, 4) || left(md5(id || k), 20) $$`)
	for _, c := range copied {
		f.exec(fmt.Sprintf("CREATE TEMP TABLE model_%[1]s AS SELECT * FROM %[1]s ORDER BY %[2]s", c.table, c.time))
		f.exec(fmt.Sprintf("CREATE INDEX ON model_%[1]s (%[2]s); ANALYZE model_%[1]s", c.table, c.time))
	}
}

// steps writes the copies of one charge after those of another, with a snapshot after each, since the program takes
// one every minute. Events are written if they are younger than 90 days, since they end then.
func (f *filler) steps() {
	now := f.site.Clock.Now()
	for from := opened(f.site); from.Before(now); from = from.Add(between) {
		for _, c := range copied {
			if c.table == "events" && now.Sub(from) > 90*24*time.Hour {
				continue
			}
			f.exec(f.insert(c.table, c.time, c.values), from, from.Add(between), f.copies,
				between/time.Duration(f.copies))
		}
		snapshot(f.t, f.site)
	}
	f.exec("DELETE FROM events WHERE created_at < $1", now.AddDate(0, 0, -90))
}

// insert returns the statement for the copies of a table's rows of a time ($1, $2), to have $3 of each in all, each $4
// later than the one before.
func (f *filler) insert(table, order string, values map[string]string) string {
	rows, err := f.conn.Query(f.t.Context(), `SELECT a.attname, a.atttypid = 'timestamptz'::regtype FROM pg_attribute a
		WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
			AND a.attidentity = '' AND a.attname NOT IN ('tx', 'seen')`, table)
	if err != nil {
		f.t.Fatal(err)
	}
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Name string
		Time bool
	}])
	if err != nil {
		f.t.Fatal(err)
	}
	var names, from []string
	for _, c := range columns {
		value := c.Name
		switch {
		case values[c.Name] != "":
			value = values[c.Name]
		case c.Time:
			value = c.Name + " + k * $4::interval"
		default:
			for _, id := range idsOf {
				if c.Name == id {
					value = "pg_temp.other(" + id + ", k)"
				}
			}
		}
		names, from = append(names, c.Name), append(from, value)
	}
	return fmt.Sprintf(`INSERT INTO %[1]s (%[2]s) SELECT %[3]s FROM model_%[1]s, generate_series(1, $3::int - 1) k
		WHERE %[4]s >= $1 AND %[4]s < $2 ORDER BY %[4]s + k * $4::interval`, table, strings.Join(names, ", "),
		strings.Join(from, ", "), order)
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
}
