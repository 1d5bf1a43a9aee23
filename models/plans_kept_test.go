package models_test

import (
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// After LockCheckoutsByCharge, the statements of the transaction are planned once and use
// indexes. Other transactions of the connection are not affected.
func TestLockCheckoutsByCharge_PlansKept(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	names := []models.PaymentName{{Livemode: true, EndToEndID: "E1"}}
	settings := func(tx *models.Tx) (mode, seqScan string) {
		err := tx.Scan("SELECT current_setting('plan_cache_mode'), current_setting('enable_seqscan')", nil, &mode, &seqScan)
		if err != nil {
			t.Error(err)
		}
		return mode, seqScan
	}
	err := db.InTx(t.Context(), func(tx *models.Tx) error {
		if _, _, err := models.LockCheckoutsByCharge(tx, []models.Charge{{Livemode: true, TxID: "x"}}); err != nil {
			return err
		}
		for range 8 {
			if _, err := models.RecordedPayments(tx, names); err != nil {
				return err
			}
		}
		var custom, generic int
		if err := tx.Scan("SELECT custom_plans, generic_plans FROM pg_prepared_statements WHERE statement LIKE $1",
			[]any{"%payments%end_to_end_id%"}, &custom, &generic); err != nil {
			return err
		}
		if custom != 0 || generic != 8 {
			t.Errorf("%d executions were planned, and %d used the plan that is kept", custom, generic)
		}
		if mode, seqScan := settings(tx); mode != "force_generic_plan" || seqScan != "off" {
			t.Errorf("in the transaction: plan_cache_mode %q, enable_seqscan %q", mode, seqScan)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 { // whichever connection
		err := db.InTx(t.Context(), func(tx *models.Tx) error {
			if mode, seqScan := settings(tx); mode != "auto" || seqScan != "on" {
				t.Errorf("in another transaction: plan_cache_mode %q, enable_seqscan %q", mode, seqScan)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
