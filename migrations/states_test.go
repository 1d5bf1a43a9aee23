package migrations_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"garoupa/migrations"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// landed is a schema that main had at some time, as the numbers of its files.
type landed struct {
	commit, files string
	// without lists indexes that 00002 did not create at the time: the file was edited twice
	// on its first day on main.
	without []string
	// trimmed reports whether River's unused indexes were dropped.
	trimmed bool
}

const selfPaying, byPayment = "checkouts_self_paying", "checkouts_by_payment"

// schemas are those of every commit on main that added or edited a file, up to 42. Files did
// not reach main in the order of their numbers.
var schemas = []landed{
	{"a26d2ca", "1-4", []string{selfPaying, byPayment}, false},
	{"59c94bc", "1-6", []string{selfPaying, byPayment}, false},
	{"fa51502", "1-6", []string{selfPaying}, false},
	{"af5a942", "1-7", []string{selfPaying}, false},
	{"cc0da69", "1-7", nil, false},
	{"29d9b47", "1-7 9", nil, false},
	{"60fa97f", "1-9", nil, false},
	{"e06c546", "1-10", nil, false},
	{"11afddf", "1-10 15-16", nil, false},
	{"3706273", "1-9 12", nil, false},
	{"c635fd0", "1-10 12 15-16", nil, false},
	{"2e77bb2", "1-12 15-16", nil, false},
	{"e291b83", "1-12 14-16", nil, false},
	{"e4e54db", "1-12 14-16 18", nil, false},
	{"0f3cba4", "1-16 18", nil, false},
	{"e3f83bd", "1-16 18-19", nil, false},
	{"278d32b", "1-16 18-19", nil, true},
	{"2f89167", "1-16 18-19 21", nil, true},
	{"3ad02c2", "1-16 18-19 21 26", nil, true},
	{"bf5a541", "1-16 18-19 21 26-27", nil, true},
	{"ed462fb", "1-16 18-19 21 23-24 26-27", nil, true},
	{"a67637a", "1-16 18-21 23-24 26-27", nil, true},
	{"47ab494", "1-16 18-21 23-24 26-28", nil, true},
	{"bf22eba", "1-16 18-21 23-24 26-29", nil, true},
	{"9ae5733", "1-16 18-21 23-24 26-29 34", nil, true},
	{"77e2702", "1-16 18-21 23-24 26-29 34-35", nil, true},
	{"e3a02ec", "1-16 18-21 23-24 26-29 32 34-35", nil, true},
	{"e256d40", "1-16 18-21 23-24 26-29 32 34-36", nil, true},
	{"0eb55eb", "1-16 18-21 23-24 26-29 32 34-36 38", nil, true},
	{"124c6b0", "1-16 18-21 23-24 26-29 32 34-36 38 40", nil, true},
	{"672075a", "1-16 18-21 23-24 26-29 32 34-36 38 40 42", nil, true},
	{"92f7596", "1-16 18-21 23-24 26-29 32 34-36 38-40 42", nil, true},
	{"df4fc42", "1-16 18-21 23-24 26-29 32 34-36 38-42", nil, true},
}

// The files from firstParallel to lastParallel were written in parallel after these, and
// any of them may have reached a database before the others. They reached main together, with
// two more.
const firstParallel, lastParallel = 43, 50

// later are the schemas of main from then on.
var later = []landed{
	{"739388a", "1-16 18-21 23-24 26-29 32 34-36 38-43 45-46 48-52", nil, true},
	{"85c61cc", "1-16 18-21 23-24 26-29 32 34-36 38-43 45-46 48-53", nil, true},
	{"ad8006f", "1-16 18-21 23-24 26-29 32 34-36 38-43 45-46 48-54", nil, true},
}

// joined is the number of the file at which the histories of all databases join: each later one reached main after
// those before it.
const joined = 54

// Up brings a database of any earlier schema to the same schema where the histories join, and keeps its rows.
func TestUp_FromEverySchema(t *testing.T) {
	t.Parallel()
	up := func(ctx context.Context, pool *pgxpool.Pool) error { return migrations.UpTo(ctx, pool, joined) }
	straight := open(t, modelstest.NewEmptyURL(t), 2)
	if err := up(limited(t), straight); err != nil {
		t.Fatal(err)
	}
	want := catalog(t, straight)
	for _, s := range every(t) {
		t.Run(s.commit, func(t *testing.T) {
			t.Parallel()
			pool := s.upgraded(t, up)
			if diff := cmp.Diff(want, catalog(t, pool)); diff != "" {
				t.Errorf("the schema differs from one without a history (-straight +upgraded)\n%s", diff)
			}
		})
	}
}

// From the first schema, and from where the histories join, Up brings a database to the schema of a new one, and keeps
// its rows.
func TestUp_ToNewest(t *testing.T) {
	t.Parallel()
	want := catalog(t, open(t, modelstest.NewURL(t), 1))
	for _, s := range []landed{schemas[0], later[len(later)-1]} {
		t.Run(s.commit, func(t *testing.T) {
			t.Parallel()
			pool := s.upgraded(t, migrations.Up)
			if !current(t, pool) {
				t.Error("after Up the schema is not current")
			}
			makeMonths(t, pool)
			if diff := cmp.Diff(want, catalog(t, pool)); diff != "" {
				t.Errorf("the schema differs from a new one (-new +upgraded)\n%s", diff)
			}
		})
	}
}

// upgraded returns a database of the schema after up. It fails the test if up did not keep the rows.
func (s landed) upgraded(t *testing.T, up func(context.Context, *pgxpool.Pool) error) *pgxpool.Pool {
	t.Helper()
	pool := open(t, modelstest.NewEmptyURL(t), 2)
	s.build(t, pool)
	before := rows(t, pool)
	if got := state(t, pool); got != migrations.Behind {
		t.Errorf("before Up the state is %d", got)
	}
	if err := up(limited(t), pool); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, rows(t, pool)); diff != "" {
		t.Errorf("rows (-before +after)\n%s", diff)
	}
	return pool
}

// every returns all schemas that main had up to the file at which the histories join.
func every(t *testing.T) []landed {
	t.Helper()
	all := slices.Concat(later, schemas)
	newest := schemas[len(schemas)-1]
	for number := firstParallel; number <= lastParallel; number++ {
		if _, exists := numbered(t)[number]; exists {
			name := fmt.Sprintf("%s and %d", newest.commit, number)
			all = append(all, landed{name, fmt.Sprintf("%s %d", newest.files, number), nil, true})
		}
	}
	return all
}

// makeMonths makes the tables of months and weeks that a new database of a test has.
func makeMonths(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	if inUse, err := models.MakeTables(t.Context(), pool, time.Now()); inUse || err != nil {
		t.Fatalf("make months: in use %t, %v", inUse, err)
	}
}

// build creates the schema in an empty database, with rows from the beginning and rows from
// the time of the schema.
func (s landed) build(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	first := landed{files: "1-4", without: s.without}
	first.apply(t, pool)
	fill(t, pool, 1)
	s.apply(t, pool)
	fill(t, pool, 2)
	river, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := river.Migrate(t.Context(), rivermigrate.DirectionUp, nil); err != nil {
		t.Fatal(err)
	}
	if s.trimmed {
		run(t, pool, "DROP INDEX river_job_args_index, river_job_metadata_index, river_job_kind")
	}
}

// apply applies the schema's files in order of their numbers, as its program did with a new
// database.
func (s landed) apply(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	files, there := fstest.MapFS{}, numbered(t)
	for span := range strings.FieldsSeq(s.files) {
		from, to, isSpan := strings.Cut(span, "-")
		if !isSpan {
			to = from
		}
		for number := atoi(t, from); number <= atoi(t, to); number++ {
			text, err := os.ReadFile(there[number])
			if err != nil {
				t.Fatal(err)
			}
			files[there[number]] = &fstest.MapFile{Data: []byte(withoutIndexes(string(text), s.without))}
		}
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDBFromPool(pool), files,
		goose.WithVerbose(false))
	if err != nil {
		t.Fatal(err)
	}
	defer provider.Close()
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// withoutIndexes returns a file's text without the lines that create some indexes.
func withoutIndexes(text string, names []string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		made := false
		for _, name := range names {
			made = made || strings.HasPrefix(line, "CREATE INDEX "+name+" ")
		}
		if !made {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// fill adds an account with a paid and a pending charge, their events and their postings,
// using only columns that every schema has. number makes their ids unique.
func fill(t *testing.T, pool *pgxpool.Pool, number int) {
	t.Helper()
	id := func(prefix string, digits int) string { return fmt.Sprintf("%s_%0*d", prefix, digits, number) }
	account, project, user := id("acc", 20), id("prj", 20), id("usr", 20)
	paid, pending := id("chk", 20), fmt.Sprintf("chk_a%019d", number)
	run(t, pool, "INSERT INTO accounts (id, name, document) VALUES ($1, 'Ateliê', $2)", account,
		fmt.Sprintf("%011d", number))
	run(t, pool, "INSERT INTO projects (id, account_id, name) VALUES ($1, $2, 'Loja')", project, account)
	run(t, pool, "INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, 'Ana', 'x')", user,
		user+"@example.com")
	run(t, pool, "INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'OWNER')", account, user)
	run(t, pool, "INSERT INTO audit_log (at, actor, account_id, action, object_id) "+
		"VALUES (now(), $1, $2, 'member.added', $1)", user, account)
	for checkout, at := range map[string]any{paid: "2026-11-21T03:40:00Z", pending: nil} {
		run(t, pool, `INSERT INTO checkouts (id, project_id, livemode, status, amount, description, external_id, txid,
				copy_paste, created_at, expires_at, paid_at)
			VALUES ($1, $2, false, CASE WHEN $3::timestamptz IS NULL THEN 'PENDING' ELSE 'PAID' END, 1007, 'Caneca',
				'pedido', $4, 'x', '2026-11-21T03:39:00Z', '2026-11-21T04:39:00Z', $3)`,
			checkout, project, at, strings.Repeat("t", 6)+checkout[4:])
		run(t, pool, "INSERT INTO events (id, project_id, livemode, type, checkout_id, body, created_at) "+
			"VALUES ($1, $2, false, 'checkout.created', $3, '{}', now())",
			"evt_0000"+checkout[4:], project, checkout)
	}
	payment := id("pay", 20)
	run(t, pool, `INSERT INTO payments (id, livemode, end_to_end_id, txid, checkout_id, settles, amount, fee, paid_at,
			recorded_at)
		VALUES ($1, false, $1, 't', $2, true, 1007, 10, now(), now())`, payment, paid)
	run(t, pool, `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at)
		VALUES ($1, 1, 'platform/test/clearing', $2, 1007, now()), ($1, 2, $2, 'platform/test/fees', 10, now())`,
		"payment/"+payment, account+"/test/pending")
}

// rows returns the numbers of rows in the tables that every schema has.
func rows(t *testing.T, pool *pgxpool.Pool) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, table := range []string{"accounts", "projects", "users", "members", "audit_log", "checkouts", "payments",
		"events", "ledger_transfers"} {
		var n int
		if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counts[table] = n
	}
	return counts
}

// catalog describes everything in the schema, except the order of columns.
func catalog(t *testing.T, pool *pgxpool.Pool) []string {
	t.Helper()
	result, err := pool.Query(t.Context(), `
		SELECT format('column %s.%s %s not null %s default %s%s%s', c.relname, a.attname,
				format_type(a.atttypid, a.atttypmod), a.attnotnull,
				pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated)
			FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
				LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
			WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0
				AND NOT a.attisdropped
		UNION ALL SELECT format('table %s %s %s %s', relname, relkind, relpersistence, reloptions) FROM pg_class
			WHERE relnamespace = 'public'::regnamespace AND relkind <> 'i'
		UNION ALL SELECT format('constraint %s on %s: %s, validated %s', conname, conrelid::regclass,
				pg_get_constraintdef(oid), convalidated)
			FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT format('index %s, valid %s', pg_get_indexdef(i.indexrelid), i.indisvalid)
			FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
			WHERE c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
		UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
		UNION ALL SELECT format('enum %s %s', enumtypid::regtype, string_agg(enumlabel, ' ' ORDER BY enumsortorder))
			FROM pg_enum GROUP BY enumtypid
		ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(result, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// numbered returns the names of the files by their numbers.
func numbered(t *testing.T) map[int]string {
	t.Helper()
	names, err := fs.Glob(os.DirFS("."), "[0-9]*.sql")
	if err != nil {
		t.Fatal(err)
	}
	byNumber := map[int]string{}
	for _, name := range names {
		number, _, _ := strings.Cut(filepath.Base(name), "_")
		byNumber[atoi(t, number)] = name
	}
	return byNumber
}

func run(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func atoi(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
