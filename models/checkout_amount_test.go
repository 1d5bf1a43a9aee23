package models_test

import (
	"slices"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// A search for an amount reads a limited number of the period's latest charges. An older
// charge is found only with a period that excludes enough of the others.
func TestSearchCheckouts_AmountBound(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	// The indexes that the search does not use would take most of the time for this many
	// rows.
	modelstest.Exec(t, g.DB, `DO $$ DECLARE name text; BEGIN
		FOR name IN SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'checkouts'::regclass AND NOT indisunique
			AND indexrelid <> 'checkouts_by_page'::regclass LOOP
			EXECUTE 'DROP INDEX ' || name;
		END LOOP;
		ALTER TABLE checkouts DISABLE TRIGGER ALL; END $$`)
	fill(t, g, g.Test, models.AmountsLookedThrough+1)
	oldest := modelstest.Column[string](t, g.DB, "SELECT id FROM checkouts ORDER BY created_at, id LIMIT 2")
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET amount = 7777 WHERE id = ANY($1)", oldest)
	search := models.CheckoutSearch{Text: "77,77", Amount: 77_77}
	if got := found(t, g, g.Test, search); !slices.Equal(got, oldest[1:]) {
		t.Errorf("found %v, want %v", got, oldest[1:])
	}
	search.Until = modelstest.One[time.Time](t, g.DB, "SELECT max(created_at) FROM checkouts")
	if got := found(t, g, g.Test, search); !slices.Equal(got, []string{oldest[1], oldest[0]}) {
		t.Errorf("in the period without the latest charges found %v, want both of %v", got, oldest)
	}
}
