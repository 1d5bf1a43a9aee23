package models_test

import (
	"slices"
	"testing"

	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// A search for an amount reads a limited number of the period's latest charges. An older
// charge is found only with a period that excludes enough of the others.
func TestSearchCheckouts_AmountBound(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	// The indexes that the search does not use would take most of the time for this many
	// rows.
	if err := g.DB.Exec(`DO $$ DECLARE name text; BEGIN
		FOR name IN SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'checkouts'::regclass AND NOT indisunique
			AND indexrelid <> 'checkouts_by_page'::regclass LOOP
			EXECUTE 'DROP INDEX ' || name;
		END LOOP;
		ALTER TABLE checkouts DISABLE TRIGGER ALL; END $$`).Error; err != nil {
		t.Fatal(err)
	}
	fill(t, g, g.Test, models.AmountsLookedThrough+1)
	var ids []string // the two oldest
	g.DB.Raw("SELECT id FROM checkouts ORDER BY created_at, id LIMIT 2").Scan(&ids)
	if err := g.DB.Exec("UPDATE checkouts SET amount = 7777 WHERE id IN ?", ids).Error; err != nil {
		t.Fatal(err)
	}
	search := models.CheckoutSearch{Text: "77,77", Amount: 77_77}
	if got := found(t, g, g.Test, search); !slices.Equal(got, ids[1:]) {
		t.Errorf("found %v, want %v", got, ids[1:])
	}
	g.DB.Raw("SELECT max(created_at) FROM checkouts").Row().Scan(&search.Until)
	if got := found(t, g, g.Test, search); !slices.Equal(got, []string{ids[1], ids[0]}) {
		t.Errorf("in the period without the latest charges found %v, want both of %v", got, ids)
	}
}
