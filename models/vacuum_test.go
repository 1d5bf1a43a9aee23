package models_test

import (
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// The tables in which rows die with each charge are vacuumed before a fiftieth of them is dead, also those of months
// that are made later.
func TestVacuum_Churn(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	if inUse, err := models.MakeEventMonths(t.Context(), db.Pool, time.Now().AddDate(1, 0, 0)); inUse || err != nil {
		t.Fatalf("in use %t, %v", inUse, err)
	}
	for _, table := range modelstest.Column[string](t, db, `SELECT oid::regclass::text FROM pg_class
		WHERE (oid = 'checkouts'::regclass
			OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'webhook_deliveries'::regclass))
		AND NOT coalesce(reloptions, '{}')
			@> '{autovacuum_vacuum_scale_factor=0.02,autovacuum_analyze_scale_factor=0.02}'`) {
		t.Errorf("%s waits until more of it is dead", table)
	}
	if months := modelstest.One[int](t, db, "SELECT count(*)::int FROM pg_inherits "+
		"WHERE inhparent = 'webhook_deliveries'::regclass"); months < 6 {
		t.Errorf("there are %d tables of deliveries", months)
	}
}
