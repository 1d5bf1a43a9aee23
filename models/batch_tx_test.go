package models_test

import (
	"context"
	"testing"

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

// The statements of batches use indexes and plans that are kept. Other transactions are not
// affected.
func TestInBatchTx_Planner(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	for range 10 { // on several connections of each pool
		for _, kind := range []struct {
			inTx          func(ctx context.Context, fn func(tx *models.Tx) error) error
			mode, seqScan string
		}{{db.InBatchTx, "force_generic_plan", "off"}, {db.InTx, "auto", "on"}} {
			err := kind.inTx(t.Context(), func(tx *models.Tx) error {
				if mode, seqScan := plannerSettings(t, tx); mode != kind.mode || seqScan != kind.seqScan {
					t.Errorf("plan_cache_mode %q, enable_seqscan %q; want %q, %q", mode, seqScan, kind.mode,
						kind.seqScan)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The statements of batches are planned once for a connection.
func TestInBatchTx_PlannedOnce(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	err := db.InBatchTx(t.Context(), func(tx *models.Tx) error {
		for range 8 {
			_, err := models.RecordedPayments(tx, []models.PaymentName{{Environment: models.Live, EndToEndID: "E1"}})
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
