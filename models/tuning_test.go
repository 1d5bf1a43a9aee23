package models_test

import (
	"testing"

	"garoupa/models/modelstest"
)

// The settings of functions and tables for the planner and the storage exist. No query fails
// without them, but queries become slow in large tables.
func TestTuning(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	for _, tc := range []struct{ of, query, want string }{
		{"the transfers of a balance: by an index and without workers or JIT",
			"SELECT array_to_string(proconfig, ' ') FROM pg_proc WHERE proname = 'ledger_moved'",
			"enable_seqscan=off enable_bitmapscan=off max_parallel_workers_per_gather=0 jit=off " +
				"plan_cache_mode=force_generic_plan"},
		{"the transfers of a range: the same",
			"SELECT array_to_string(proconfig, ' ') FROM pg_proc WHERE proname = 'ledger_entries'",
			"enable_seqscan=off enable_bitmapscan=off max_parallel_workers_per_gather=0 jit=off " +
				"plan_cache_mode=force_generic_plan"},
		{"the lines of a statement: the same",
			"SELECT array_to_string(proconfig, ' ') FROM pg_proc WHERE proname = 'ledger_lines'",
			"enable_seqscan=off enable_bitmapscan=off max_parallel_workers_per_gather=0 jit=off " +
				"plan_cache_mode=force_generic_plan"},
		{"deliveries: room for updates in place, and vacuums before many rows are dead",
			"SELECT string_agg(DISTINCT parent.relname || ' ' || coalesce(array_to_string(c.reloptions, ' '), ''), " +
				"', ') FROM pg_class c JOIN pg_inherits ON inhrelid = c.oid JOIN pg_class parent " +
				"ON parent.oid = inhparent WHERE c.relkind = 'r' AND parent.relname = 'webhook_deliveries'",
			"webhook_deliveries fillfactor=45 autovacuum_vacuum_scale_factor=0.02 " +
				"autovacuum_analyze_scale_factor=0.02"},
		{"the index of creations: it knows blocks soon after they are full",
			"SELECT array_to_string(reloptions, ' ') FROM pg_class WHERE relname = 'checkouts_by_creation'",
			"autosummarize=on"},
	} {
		var got string
		if err := db.Pool.QueryRow(t.Context(), tc.query).Scan(&got); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v; want %q", tc.of, got, err, tc.want)
		}
	}
}
