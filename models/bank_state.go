package models

import (
	"context"
	"errors"
	"time"
)

// BankState is what the calls of all processes told of a bank account.
type BankState struct {
	BankAccountID string
	LastAnswerAt  *time.Time
	LastFailureAt *time.Time // of a call that the bank did not answer
	SilentSince   *time.Time // the first such call after the last answer; nil if the bank answers
	HeldSince     *time.Time // calls fail at once since then, in the process that called last; nil: they are made
	LastFailure   string     // the last error of a call, a refusal too; "" for none
	FailedAt      *time.Time // when that was
	SkewMs        int64      // how much the bank's clock is ahead
	GrantedScopes []string   // nil if the bank does not say
}

// saveBankStates ends a statement. Its $2 are states as one process knows them. A bank is silent if the last
// call of any process was not answered.
const saveBankStates = `INSERT INTO bank_states AS s (bank_account_id, last_answer_at, last_failure_at, silent_since,
	held_since, last_failure, failed_at, skew_ms, granted_scopes)
SELECT "BankAccountID", "LastAnswerAt", "LastFailureAt", "SilentSince", "HeldSince", left("LastFailure", 300),
	"FailedAt", "SkewMs", "GrantedScopes"
FROM jsonb_to_recordset($2) AS t ("BankAccountID" text, "LastAnswerAt" timestamptz, "LastFailureAt" timestamptz,
	"SilentSince" timestamptz, "HeldSince" timestamptz, "LastFailure" text, "FailedAt" timestamptz,
	"SkewMs" bigint, "GrantedScopes" text[])
ORDER BY 1
ON CONFLICT (bank_account_id) DO UPDATE SET
	last_answer_at = greatest(s.last_answer_at, excluded.last_answer_at),
	last_failure_at = greatest(s.last_failure_at, excluded.last_failure_at),
	silent_since = (SELECT CASE WHEN failed > answered IS NOT FALSE THEN coalesce(least(
			CASE WHEN s.silent_since > answered IS NOT FALSE THEN s.silent_since END,
			CASE WHEN excluded.silent_since > answered IS NOT FALSE THEN excluded.silent_since END), failed) END
		FROM (SELECT greatest(s.last_answer_at, excluded.last_answer_at) AS answered,
			greatest(s.last_failure_at, excluded.last_failure_at) AS failed) latest),
	held_since = excluded.held_since,
	last_failure = CASE WHEN excluded.failed_at < s.failed_at OR excluded.failed_at IS NULL THEN s.last_failure
		ELSE excluded.last_failure END,
	failed_at = greatest(s.failed_at, excluded.failed_at),
	skew_ms = excluded.skew_ms, granted_scopes = excluded.granted_scopes`

// BankStateOf returns the state of a bank account. It is empty if the account was not called yet.
func BankStateOf(ctx context.Context, q Querier, bankAccountID string) (BankState, error) {
	state, err := one[BankState](ctx, q, "SELECT * FROM bank_states WHERE bank_account_id = $1", bankAccountID)
	if errors.Is(err, ErrNotFound) {
		return BankState{BankAccountID: bankAccountID}, nil
	} else if err != nil {
		return BankState{}, err
	}
	return *state, nil
}

// SilentBanks returns the states of the accounts in use whose banks are silent since a time or longer.
func SilentBanks(ctx context.Context, q Querier, before time.Time) ([]BankState, error) {
	return collect[BankState](ctx, q, `SELECT s.* FROM bank_states s JOIN bank_accounts b ON b.id = s.bank_account_id
		WHERE s.silent_since <= $1 AND b.status IN ('ACTIVE', 'RETIRING') ORDER BY 1`, before)
}
