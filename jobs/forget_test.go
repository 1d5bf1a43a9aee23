package jobs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"garoupa/jobs"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// old inserts rows of each kind that Forget deletes, from the time at.
func old(t *testing.T, g *paymentstest.Gateway, at time.Time) {
	t.Helper()
	for _, sql := range []string{
		`INSERT INTO mails (id, fact, recipient, language, kind, created_at, sent_at)
			SELECT 'mail_' || lpad(to_hex(n), 20, '0'), 'fact/' || n, 'x@example.com', 'en', 'invite', @at,
				CASE WHEN n > 1 THEN @at END FROM generate_series(1, 5001) n`,
		`INSERT INTO sessions (id, token_hash, user_id, project_id, livemode, ip, user_agent, created_at, last_seen_at,
			expires_at, proven_at)
			SELECT 'ses_' || lpad(to_hex(n), 20, '0'), sha256(n::text::bytea), @user, @project, false, '', '', @at, @at,
				@at, @at FROM generate_series(1, 5001) n`,
		`INSERT INTO tokens (id, purpose, user_id, email, created_at, expires_at, used_at)
			SELECT 'tok_' || lpad(to_hex(n), 20, '0'), 'RESET_PASSWORD', @user, 'x@example.com', @at, @at,
				CASE WHEN n > 1 THEN @at END FROM generate_series(1, 5001) n`,
		`INSERT INTO passkey_challenges (challenge, purpose, browser, expires_at)
			SELECT sha256(n::text::bytea), 'LOG_IN', sha256(convert_to(@user, 'UTF8')), @at + interval '7 d'
			FROM generate_series(1, 5001) n`,
		`INSERT INTO invites (id, account_id, email, role, invited_by, created_at, sent_at, expires_at, accepted_at,
			accepted_by, revoked_at)
			SELECT 'inv_' || lpad(to_hex(n), 20, '0'), @account, n || '@example.com', 'VIEWER', @user, @at, @at,
				@at + CASE WHEN n > 2 THEN interval '1 s' ELSE '9 d' END,
				CASE WHEN n = 1 THEN @at END, CASE WHEN n = 1 THEN @user END, CASE WHEN n = 2 THEN @at END
					FROM generate_series(1, 3) n`,
		`INSERT INTO api_keys (id, project_id, livemode, name, secret_hash, last4, permissions, created_at)
			VALUES ('key_00000000000000000000', @project, false, 'x', sha256('x'), 'xxxx', '{CHECKOUT:READ}', @at)`,
		`INSERT INTO api_key_networks (key_id, network, first_used_at, last_used_at)
			SELECT 'key_00000000000000000000', n::text, @at, @at FROM generate_series(1, 5001) n`,
		`INSERT INTO devices (id, user_id, place, name, ip, first_seen_at, last_seen_at)
			SELECT 'dev_' || lpad(to_hex(n), 20, '0'), @user, sha256(n::text::bytea), '', '', @at, @at
			FROM generate_series(1, 5001) n`,
		`INSERT INTO bank_accounts (id, name, profile, sandbox, pix_key, holder_name, holder_document, created_at)
			VALUES ('bnk_00000000000000000000', 'x', 'generic', false, 'x', 'x', '11222333000181', @at)`,
		`INSERT INTO bank_calls (bank_account_id, hour, operation, outcome, n, total_ms, max_ms)
			SELECT 'bnk_00000000000000000000', @at, n::text, 'ok', 1, 1, 1 FROM generate_series(1, 5001) n`,
	} {
		sql = strings.ReplaceAll(sql, "@at", "timestamptz '"+at.Format(time.RFC3339)+"'")
		_, err := g.DB.Pool.Exec(t.Context(), sql, pgx.NamedArgs{"project": g.Test.ProjectID, "user": g.Owner.UserID,
			"account": g.Account.ID})
		if err != nil {
			t.Fatal(err)
		}
	}
	modelstest.Exec(t, g.DB, "DELETE FROM mails WHERE kind <> 'invite'")
	modelstest.Exec(t, g.DB, "DELETE FROM tokens WHERE purpose <> 'RESET_PASSWORD'")
}

// left calls Forget at a time and returns the numbers of rows that are left, by table.
func left(t *testing.T, g *paymentstest.Gateway, now time.Time) map[string]int {
	t.Helper()
	if err := jobs.Forget(t.Context(), g.DB.Pool, now, 90*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, table := range []string{"mails", "sessions", "tokens", "passkey_challenges", "invites",
		"bank_calls", "api_key_networks", "devices"} {
		var n int
		if err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counts[table] = n
	}
	return counts
}

// Expired data are deleted in time, not earlier, and completely. Other data stay.
func TestForget(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	old(t, g, at)
	before := left(t, g, at.Add(7*day))
	for table, n := range before {
		if n == 0 {
			t.Errorf("the %s were deleted too early", table)
		}
	}
	for _, step := range []struct {
		now  time.Duration
		gone []string
	}{
		{7*day + time.Microsecond, []string{"sessions", "tokens", "passkey_challenges"}},
		{7*day + time.Second, nil},
		{8 * day, []string{"invites"}},
		{30 * day, nil},
		{30*day + time.Microsecond, []string{"mails", "bank_calls"}},
		{90 * day, nil},
		{90*day + time.Microsecond, []string{"api_key_networks"}},
		{400 * day, nil},
		{400*day + time.Microsecond, []string{"devices"}},
	} {
		for _, table := range step.gone {
			before[table] = 0
		}
		if step.now == 7*day+time.Microsecond {
			before["invites"] = 1 // the one that expired a second later
		}
		if diff := cmp.Diff(before, left(t, g, at.Add(step.now))); diff != "" {
			t.Errorf("after %s (-want +got)\n%s", step.now, diff)
		}
	}
}
