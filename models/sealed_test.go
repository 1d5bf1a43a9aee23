package models_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// plain are byte columns that are not sealed, and the column that identifies the key, which
// rotate-key changes last.
var plain = []string{
	"access_requests.document_digest", "access_requests.email_digest",
	"api_keys.secret_hash", "audit_seals.hash", "audit_seals.lines",
	"bank_accounts.notice_digest", "bank_notices.digest", "brands.logo", "checkouts.document_digest",
	"checkouts.qr_png", "customers.key", "devices.place", "dispute_files.content", "events.body",
	"former_tokens.token_hash",
	"idempotency_keys.request_hash", "installation.key_check", "ledger_proofs.content", "ledger_proofs.hash",
	"log_in_places.place",
	"passkey_challenges.browser", "passkey_challenges.challenge", "passkeys.credential_id", "passkeys.public_key",
	"products.picture_large", "products.picture_small", "receipt_mails.recipient",
	"recovery_codes.digest", "sessions.token_hash",
	"webhook_answers.body", "webhook_attempts.response", "webhook_resends.token",
}

// Every byte column is listed as sealed or as plain: a sealed column that is not listed would
// be lost with the key.
func TestSealedColumns(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	rows, err := db.Pool.Query(t.Context(), `SELECT relname || '.' || attname FROM pg_class
		JOIN pg_attribute ON attrelid = pg_class.oid AND atttypid = 'bytea'::regtype AND NOT attisdropped
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
			AND relname NOT LIKE 'river%' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Clone(plain)
	for _, s := range models.SealedColumns {
		known = append(known, s.String())
	}
	slices.Sort(known)
	if diff := cmp.Diff(known, found); diff != "" {
		t.Errorf("byte columns (-listed +found)\n%s", diff)
	}
}
