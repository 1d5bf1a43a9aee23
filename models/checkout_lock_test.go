package models_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// plannerSettings returns the settings by which statements of tx are planned.
func plannerSettings(t *testing.T, tx *models.Tx) (mode, seqScan string) {
	t.Helper()
	err := tx.Scan("SELECT current_setting('plan_cache_mode'), current_setting('enable_seqscan')", nil,
		&mode, &seqScan)
	if err != nil {
		t.Error(err)
	}
	return mode, seqScan
}

// After the lock of a checkout, the statements of the transaction use indexes and plans that
// are kept. Other transactions of the connection are not affected.
func TestLockCheckouts_Planner(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	for name, lock := range map[string]func(tx *models.Tx) error{
		"by charge": func(tx *models.Tx) error {
			_, _, err := models.LockCheckoutsByCharge(tx, []models.Charge{{Livemode: true, TxID: "x"}})
			return err
		},
		"by id": func(tx *models.Tx) error {
			if _, err := models.LockCheckoutByID(tx, models.NewCheckoutID()); !errors.Is(err, models.ErrNotFound) {
				return fmt.Errorf("a checkout that does not exist: %w", err)
			}
			return nil
		},
		"due": func(tx *models.Tx) error {
			_, err := models.LockDueCheckouts(tx, time.Now(), 10)
			return err
		},
		"no lock": nil,
	} {
		wantMode, wantSeqScan := "force_generic_plan", "off"
		if lock == nil {
			wantMode, wantSeqScan = "auto", "on"
			lock = func(*models.Tx) error { return nil }
		}
		for range 10 { // on the same connection and on others
			err := db.InTx(t.Context(), func(tx *models.Tx) error {
				if err := lock(tx); err != nil {
					return err
				}
				if mode, seqScan := plannerSettings(t, tx); mode != wantMode || seqScan != wantSeqScan {
					t.Errorf("%s: plan_cache_mode %q, enable_seqscan %q", name, mode, seqScan)
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// Statements after the lock of a checkout are planned once.
func TestLockCheckouts_PlannedOnce(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	err := db.InTx(t.Context(), func(tx *models.Tx) error {
		if _, _, err := models.LockCheckoutsByCharge(tx, []models.Charge{{Livemode: true, TxID: "x"}}); err != nil {
			return err
		}
		for range 8 {
			_, err := models.RecordedPayments(tx, []models.PaymentName{{Livemode: true, EndToEndID: "E1"}})
			if err != nil {
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
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
