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
		"DELETE FROM goose_db_version WHERE version_id IN (49, 53)",
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

// A withdrawal fee that was set by hand in an account's columns becomes a row from now on,
// beside the fee of charges that applies, and one beside each that is planned. It is moved
// once. Accounts without one follow the installation.
func TestUp_WithdrawalFees(t *testing.T) {
	t.Parallel()
	pool := open(t, modelstest.NewURL(t), 4)
	account := func(digit string) string { return "acc_" + strings.Repeat(digit, 20) }
	run(t, pool, "ALTER TABLE account_fees DROP COLUMN withdrawal_basis_points, DROP COLUMN withdrawal_fixed")
	run(t, pool, "ALTER TABLE fee_proposals DROP COLUMN withdrawal_basis_points, DROP COLUMN withdrawal_fixed")
	run(t, pool, `INSERT INTO accounts (id, name, withdrawal_fee_basis_points, withdrawal_fee_fixed) VALUES
		($1, 'Padrão', 0, 0), ($2, 'Só de saques', 100, 50), ($3, 'Com planos', 0, 1000000000000),
		($4, 'Só com planos', 10000, 0)`, account("0"), account("1"), account("2"), account("3"))
	run(t, pool, `INSERT INTO account_fees (account_id, basis_points, fixed, valid_from, written_at) VALUES
		($1, 7, 0, '2026-01-02', now()), ($2, 1, 0, '2026-01-02', now()), ($2, 2, 0, '2999-01-01', now()),
		($2, 3, 0, '2026-01-03', now()), ($2, 4, 0, '2999-02-02', now()), ($2, NULL, NULL, '2999-03-03', now()),
		($3, 5, 0, '2999-04-04', now())`, account("0"), account("2"), account("3"))
	const moved = `SELECT coalesce(string_agg(concat_ws(' ', right(account_id, 1), coalesce(basis_points::text, '-'),
			withdrawal_basis_points, withdrawal_fixed,
			CASE WHEN valid_from = written_at THEN 'now' ELSE to_char(valid_from, 'YYYY-MM-DD') END),
			', ' ORDER BY id), '')
		FROM account_fees WHERE withdrawal_fixed IS NOT NULL`
	for range 2 {
		run(t, pool, "DELETE FROM goose_db_version WHERE version_id = 53")
		if err := migrations.Up(limited(t), pool); err != nil {
			t.Fatal(err)
		}
		var rows string
		if err := pool.QueryRow(t.Context(), moved).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		if want := "1 - 100 50 now, 2 3 0 999999999999 now, 2 4 0 999999999999 2999-02-02, " +
			"2 - 0 999999999999 2999-03-03, 3 - 10000 0 now, 3 5 10000 0 2999-04-04"; rows != want {
			t.Errorf("the rows are %q, want %q", rows, want)
		}
	}
}
