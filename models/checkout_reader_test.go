package models_test

import (
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Checkouts that are read at the same time are those that were asked for: each caller has its own, and none has
// another merchant's or another environment's.
func TestCheckoutReader(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	reader := models.NewCheckoutReader(g.DB.Pool)
	checkouts := make([]*models.Checkout, 5)
	for i := range checkouts {
		checkouts[i] = g.Checkout(t, payments.NewCheckout{Amount: 100, ExternalID: fmt.Sprint(i)})
	}
	stranger := models.Scope{ProjectID: models.NewProjectID(), Environment: models.Test}
	var group errgroup.Group
	for i := range 300 {
		group.Go(func() error {
			c := checkouts[i%len(checkouts)]
			scope, id, missing := g.Test, c.ID, i%5 > 0 && i%2 == 0
			if missing {
				switch i % 3 {
				case 0:
					scope = stranger
				case 1:
					scope = g.Live
				case 2:
					id = models.NewCheckoutID()
				}
			}
			got, err := reader.ByID(t.Context(), scope, id)
			switch {
			case missing && !errors.Is(err, models.ErrNotFound):
				return fmt.Errorf("read %d returns %+v, %v; want nothing", i, got, err)
			case missing:
				return nil
			case err != nil || got.ID != c.ID || got.ExternalID != c.ExternalID || got.ProjectID != g.Test.ProjectID:
				return fmt.Errorf("read %d returns %+v, %v; want %s", i, got, err, c.ID)
			}
			got.ExternalID = "changed by its reader"
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := reader.ByID(t.Context(), g.Test, "chk_"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("a malformed id: %v", err)
	}
}

// A statement that reads several checkouts keeps its plan: PostgreSQL does not plan it anew for each read.
func TestCheckoutReader_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	conn, err := g.DB.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	ask := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	ask("SET enable_seqscan = off")
	defer ask("RESET enable_seqscan")
	for _, n := range []int{2, 5, 17} {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = models.NewCheckoutID()
		}
		var statement string
		for range 10 { // PostgreSQL decides after five
			if statement, err = models.ReadTogether(t.Context(), conn, g.Test, keys); err != nil {
				t.Fatal(err)
			}
		}
		var generic int
		if err := conn.QueryRow(t.Context(), "SELECT generic_plans FROM pg_prepared_statements WHERE statement = $1",
			statement).Scan(&generic); err != nil || generic == 0 {
			t.Errorf("%d checkouts: %d of 10 plans are kept, %v", n, generic, err)
		}
	}
}
