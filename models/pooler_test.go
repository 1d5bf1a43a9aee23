package models_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/faulttest"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// Open refuses a pooler that shares connections between transactions, and leaves no setting in
// it.
func TestOpen_Pooler(t *testing.T) {
	t.Parallel()
	for _, connections := range []int{1, 2, 5} {
		address := faulttest.NewPooler(t, modelstest.NewURL(t), connections)
		db, err := models.Open(t.Context(), address)
		if err == nil {
			db.Close()
			t.Errorf("Open accepted a pooler with %d connections", connections)
			continue
		}
		if text := err.Error(); !strings.Contains(text, "pooler") || !strings.Contains(text, "session mode") ||
			strings.Contains(text, "\n") {
			t.Errorf("%d connections: %s", connections, text)
		}
		config, err := pgx.ParseConfig(address)
		if err != nil {
			t.Fatal(err)
		}
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
		conn, err := pgx.ConnectConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 * connections {
			var seqscan, timeout string
			err := conn.QueryRow(t.Context(), "SELECT current_setting('enable_seqscan'), "+
				"current_setting('statement_timeout')").Scan(&seqscan, &timeout)
			if err != nil || seqscan != "on" || timeout != "0" {
				t.Errorf("a setting was left in the pooler: %s, %s, %v", seqscan, timeout, err)
			}
		}
		_ = conn.Close(t.Context())
	}
}
