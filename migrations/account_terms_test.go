package migrations_test

import (
	"strings"
	"testing"

	"garoupa/migrations"
	"garoupa/models/modelstest"
)

// Values that were set by hand in an account's columns become the account's own terms from its
// first moment. Accounts with default values follow the installation's defaults.
func TestUp_AccountTerms(t *testing.T) {
	t.Parallel()
	pool := open(t, modelstest.NewURL(t), 4)
	for _, step := range []string{
		"DROP TABLE account_limits, account_fees, fee_proposals, default_fees",
		"DROP FUNCTION fee_proposals_decided_once",
		"DELETE FROM goose_db_version WHERE version_id = 49",
		`INSERT INTO accounts (id, name, fee_basis_points, fee_fixed, min_amount, max_amount, settlement_delay,
			created_at) VALUES
			('acc_' || repeat('0', 20), 'Padrão', 99, 0, 1, 100000000, NULL, '2026-01-02T03:04:05Z'),
			('acc_' || repeat('1', 20), 'Com tarifa', 99, 10, 1, 100000000, NULL, '2026-01-02T03:04:05Z'),
			('acc_' || repeat('2', 20), 'Com limites', 99, 0, 500, 100000000, 3600, '2026-01-02T03:04:05Z'),
			('acc_' || repeat('3', 20), 'Com máximo', 0, 0, 1, 200000000, NULL, '2026-01-02T03:04:05Z')`,
	} {
		if _, err := pool.Exec(t.Context(), step); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	if err := migrations.Up(limited(t), pool); err != nil {
		t.Fatal(err)
	}
	var fees, limits, defaults string
	err := pool.QueryRow(t.Context(), `SELECT
		(SELECT string_agg(concat_ws(' ', right(account_id, 1), basis_points, fixed, valid_from AT TIME ZONE 'UTC'),
				', ' ORDER BY account_id)
			FROM account_fees),
		(SELECT string_agg(concat_ws(' ', right(account_id, 1), coalesce(min_amount::text, '-'),
				coalesce(max_amount::text, '-'), coalesce(settlement_delay::text, '-'),
				coalesce(destination_hold::text, '-')), ', ' ORDER BY account_id)
			FROM account_limits),
		(SELECT string_agg(concat_ws(' ', basis_points, fixed), ', ')
			FROM default_fees)`).Scan(&fees, &limits, &defaults)
	if err != nil {
		t.Fatal(err)
	}
	if fees != "1 99 10 2026-01-02 03:04:05, 3 0 0 2026-01-02 03:04:05" ||
		limits != "2 500 - 3600 -, 3 - 200000000 - -" || defaults != "99 0" {
		t.Errorf("fees %q, limits %q, defaults %q", fees, limits, defaults)
	}
	for _, table := range []string{"default_fees", "account_fees", "account_limits"} {
		if _, err := pool.Exec(t.Context(), "UPDATE "+table+" SET valid_from = now()"); err == nil ||
			!strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s can be changed: %v", table, err)
		}
	}
}
