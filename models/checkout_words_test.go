package models_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// writeWords writes the words of all charges that are older than a minute.
func writeWords(t *testing.T, g *paymentstest.Gateway) {
	t.Helper()
	for more := true; more; {
		err := g.DB.InTx(t.Context(), func(tx *models.Tx) (err error) {
			more, err = models.WriteWords(tx, g.Clock.Now())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// wordsExplained keeps the plan of the statement that reads the words.
type wordsExplained struct {
	explained
	words string
}

// Query implements models.Querier.
func (e *wordsExplained) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := e.explained.Query(ctx, sql, args...)
	if strings.Contains(sql, "checkout_words") {
		e.words = e.plan
	}
	return rows, err
}

// planOfWords returns how a search reads the words, where there are too many to read all of them.
func planOfWords(t *testing.T, g *paymentstest.Gateway) string {
	t.Helper()
	query := &wordsExplained{}
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return tx.PGX(func(ctx context.Context, conn models.Querier) error {
			if _, err := conn.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
				return err
			}
			query.Querier = conn
			_, err := models.SearchCheckouts(ctx, query, g.Test,
				models.CheckoutSearch{Text: "souza quiroga", Limit: 10})
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return query.words
}

func TestCheckoutWords(t *testing.T) {
	t.Parallel()
	db := paymentstest.New(t).DB
	for text, want := range map[string]string{
		"Maria da Conceição SOUZA": "conceicao maria souza",
		"PED-2026-0007":            "0007 2026-0007 ped-2026-0007",
		"Souza-Lima":               "lima souza-lima",
		"d'Ávila  Nó":              "avila d'avila",
		"--a--bcd--":               "--a--bcd-- a--bcd-- bcd--",
		"":                         "",
		"ab cd":                    "",
		strings.Repeat("x", 50):    strings.Repeat("x", 40),
		"aaa.bbb.ccc.ddd.eee.fff":  "aaa.bbb.ccc.ddd.eee.fff bbb.ccc.ddd.eee.fff ccc.ddd.eee.fff ddd.eee.fff eee.fff",
	} {
		for _, columns := range []string{"$1, ''", "NULL, $1"} {
			words := modelstest.Column[string](t, db, `SELECT substr(word, 9)
				FROM unnest(tsvector_to_array(checkout_vector('prj', true, `+columns+"))) word", text)
			slices.Sort(words)
			if got := strings.Join(words, " "); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
}

// A search finds charges by any word of the name and any part of the order number, before and after their words are
// written, however old they are and however many others have the word.
func TestSearchCheckouts_Words(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	name := "Antônio Quiroga de Souza"
	old := g.Checkout(t, payments.NewCheckout{ExternalID: "PED-2026-0007", Customer: payments.Customer{Name: &name}})
	find := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			if got := found(t, g, g.Test, models.CheckoutSearch{Text: text}); !slices.Equal(got, []string{old.ID}) {
				t.Errorf("%q finds %v", text, got)
			}
			if got := found(t, g, g.Live, models.CheckoutSearch{Text: text}); len(got) > 0 {
				t.Errorf("%q finds %v in live", text, got)
			}
		}
	}
	all := []string{"quiroga", "QUIR", "souza antonio", "antônio", "ped-2026-0007", "PED-2026", "2026-00", "0007",
		"quiroga 0007", "de quiroga"}
	find(all...)
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM checkout_words"); n != 0 {
		t.Errorf("there are %d words", n)
	}
	g.Clock.Advance(2 * time.Minute)
	fill(t, g, g.Test, models.LookedThrough)
	modelstest.Exec(t, g.DB, `UPDATE checkouts SET customer_name = 'Antônio de Souza ' ||
		translate(right(id, 12), '0123456789abcdef', 'bcdfghjkmbcdfghj') WHERE id <> $1`, old.ID)
	if got := found(t, g, g.Test, models.CheckoutSearch{Text: "quiroga"}); len(got) > 0 {
		t.Errorf("without words, among very many, it finds %v", got)
	}
	g.Clock.Advance(time.Hour)
	writeWords(t, g)
	find("quiroga", "QUIR", "ped-2026-0007", "2026-00", "0007", "souza quiroga", "antonio quir")
	modelstest.Exec(t, g.DB, "ANALYZE checkout_words")
	if plan := planOfWords(t, g); !strings.Contains(plan, "Bitmap Index Scan on checkout_words_words") {
		t.Errorf("the search does not read the index of words:\n%s", plan)
	}
	for _, text := range []string{"souza", "antonio", "souz"} {
		if got := found(t, g, g.Test, models.CheckoutSearch{Text: text}); len(got) != 100 {
			t.Errorf("%q finds %d", text, len(got))
		}
	}
}

// A name takes its words with it, and leaves those of the order number.
func TestCheckoutWords_Forgotten(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	name := "Carla Menezes"
	c := g.Checkout(t, payments.NewCheckout{ExternalID: "carla-77", Customer: payments.Customer{Name: &name}})
	g.Clock.Advance(2 * time.Minute)
	writeWords(t, g)
	words := func() string {
		return fmt.Sprint(modelstest.Column[string](t, g.DB, `SELECT substr(word, 9) FROM checkout_words w,
			unnest(tsvector_to_array(w.words)) word WHERE checkout_id = $1 ORDER BY word`, c.ID))
	}
	if got := words(); got != "[carla carla-77 menezes]" {
		t.Errorf("before: %s", got)
	}
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET customer_name = NULL WHERE id = $1", c.ID)
	if got := words(); got != "[carla-77]" {
		t.Errorf("after: %s", got)
	}
	writeWords(t, g)
	if got := words(); got != "[carla-77]" {
		t.Errorf("later: %s", got)
	}
}

// Charges of one moment, and those that are older than the first run, all get their words.
func TestWriteWords_All(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	fill(t, g, g.Test, 3000)
	modelstest.Exec(t, g.DB, `UPDATE checkouts SET created_at = date_trunc('second', created_at)`)
	g.Clock.Advance(3 * time.Hour)
	writeWords(t, g)
	g.Clock.Advance(30 * time.Minute)
	fill(t, g, g.Live, 1500)
	g.Clock.Advance(30 * time.Minute)
	writeWords(t, g)
	left := modelstest.One[int](t, g.DB, `SELECT count(*) FROM checkouts c
		WHERE NOT EXISTS (SELECT FROM checkout_words w WHERE w.checkout_id = c.id)`)
	if left > 0 {
		t.Errorf("%d have no words", left)
	}
}

// A shop that sold nothing for long has its words after some transactions, not after one for each ten minutes.
func TestWriteWords_Gap(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	fill(t, g, g.Test, 3)
	modelstest.Exec(t, g.DB, "UPDATE accounts SET created_at = created_at - interval '1 year'")
	modelstest.Exec(t, g.DB, `UPDATE checkouts SET created_at = created_at - interval '1 day' * 100 * n
		FROM (SELECT id AS of, row_number() OVER (ORDER BY id) AS n FROM checkouts) numbered WHERE id = of`)
	g.Clock.Advance(time.Hour)
	runs := 0
	for more := true; more; runs++ {
		if err := g.DB.InTx(t.Context(), func(tx *models.Tx) (err error) {
			more, err = models.WriteWords(tx, g.Clock.Now())
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM checkout_words"); n != 3 || runs > 20 {
		t.Errorf("%d charges have words after %d transactions", n, runs)
	}
}
