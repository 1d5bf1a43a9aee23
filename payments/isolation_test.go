package payments_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// Of twelve concurrent withdrawals of the whole balance one succeeds, at every default
// isolation level of the database and of the role.
func TestRequestWithdrawal_Isolation(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"DATABASE %s", "ROLE CURRENT_USER IN DATABASE %s"} {
		g := live(t, 200_00)
		g.Withdraw(t, 50_00) // so that the account's row exists in account_books
		var name string
		if err := g.DB.Pool.QueryRow(t.Context(), "SELECT current_database()").Scan(&name); err != nil {
			t.Fatal(err)
		}
		sql := "ALTER " + fmt.Sprintf(of, name) + " SET default_transaction_isolation = 'repeatable read'"
		modelstest.Exec(t, g.DB, sql)
		g.DB.Pool.Reset() // existing connections keep their default
		var won atomic.Int32
		var group errgroup.Group
		for range 12 {
			group.Go(func() error {
				_, created, err := g.RequestWithdrawal(t.Context(), g.Account,
					paymentstest.Withdrawal(models.RailPix, 150_00))
				if err == nil && created {
					won.Add(1)
					return nil
				}
				refused(t, "more than there is", err, refusal.InsufficientBalance) // by the balance read under the lock
				return nil
			})
		}
		_ = group.Wait()
		if b := balance(t, g, models.Live); won.Load() != 1 || b.Available != 0 || b.Reserved != 200_00 {
			t.Errorf("%s: %d withdrawals were accepted; %d is available and %d reserved", sql, won.Load(), b.Available,
				b.Reserved)
		}
		sound(t, g)
	}
}
