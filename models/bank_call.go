package models

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// The outcomes of calls of banks, besides the kinds of errors of package psp.
const (
	BankCallOK   = "ok"
	BankCallHeld = "held" // not made, because the bank is known not to answer
)

// unanswered is a condition on bank_calls: the bank gave no answer that is about the call.
const unanswered = "outcome IN ('held', 'unavailable', 'ambiguous', 'unauthorized')"

// failed is a condition on bank_calls: the bank did not do what it was asked.
const failed = "outcome NOT IN ('ok', 'not found')"

// BankCalls counts calls of a bank account that ended alike within an hour.
type BankCalls struct {
	BankAccountID string
	Hour          time.Time
	Operation     string // such as "put charge"
	Outcome       string // BankCallOK, BankCallHeld, or the kind of the error
	N             int64
	TotalMs       int64
	MaxMs         int64
}

const addBankCalls = `WITH counted AS (
	INSERT INTO bank_calls AS c (bank_account_id, hour, operation, outcome, n, total_ms, max_ms)
	SELECT * FROM jsonb_to_recordset($1) AS t ("BankAccountID" text, "Hour" timestamptz, "Operation" text,
		"Outcome" text, "N" bigint, "TotalMs" bigint, "MaxMs" bigint)
	ORDER BY 1, 2, 3, 4
	ON CONFLICT (bank_account_id, hour, operation, outcome) DO UPDATE SET n = c.n + excluded.n,
		total_ms = c.total_ms + excluded.total_ms, max_ms = greatest(c.max_ms, excluded.max_ms)
)
` + saveBankStates

// AddBankCalls adds counts of calls to those of other processes, and saves what the calls told of their
// accounts, in one statement.
func AddBankCalls(ctx context.Context, q Querier, calls []BankCalls, states []BankState) error {
	counted, err := json.Marshal(calls)
	if err != nil {
		return fmt.Errorf("models: calls of banks: %w", err)
	}
	told, err := json.Marshal(states)
	if err != nil {
		return fmt.Errorf("models: states of banks: %w", err)
	}
	_, err = q.Exec(ctx, addBankCalls, counted, told)
	return err
}

// BankOperation sums up the calls of one operation of a bank account.
type BankOperation struct {
	Operation string
	Calls     int64
	MeanMs    int64 // of the calls that were made
	MaxMs     int64
	Failures  int64    // with any error but "not found", which is an answer
	Kinds     []string // of these errors, the most frequent first
}

// BankOperations sums up the calls of a bank account since a time, by operation.
func BankOperations(ctx context.Context, q Reader, bankAccountID string, since time.Time) ([]BankOperation, error) {
	return collect[BankOperation](ctx, q, `SELECT operation, sum(n)::bigint AS calls,
			coalesce(sum(total_ms) FILTER (WHERE outcome <> 'held')
				/ nullif(sum(n) FILTER (WHERE outcome <> 'held'), 0), 0)::bigint AS mean_ms,
			max(max_ms) AS max_ms, coalesce(sum(n) FILTER (WHERE `+failed+`), 0)::bigint AS failures,
			coalesce(array_agg(outcome ORDER BY n DESC, outcome) FILTER (WHERE `+failed+`), '{}') AS kinds
		FROM (SELECT operation, outcome, sum(n) AS n, sum(total_ms) AS total_ms, max(max_ms) AS max_ms
			FROM bank_calls WHERE bank_account_id = $1 AND hour >= date_trunc('hour', $2::timestamptz)
			GROUP BY operation, outcome) of
		GROUP BY operation ORDER BY calls DESC, operation`, bankAccountID, since)
}

// BankAnswers counts the calls of banks since a time, and those that a bank did not answer. Only whole
// hours are known, so the hour of the time counts too.
type BankAnswers struct {
	BankAccountID string
	Calls         int64
	Unanswered    int64
	Unauthorized  int64      // of the unanswered ones: the bank refused the credentials
	Doubted       int64      // wrong answers, and refusals of what the contract does not include
	Since         *time.Time // the hour of the first unanswered one; nil if there is none
}

// BanksAnswers returns the counts of the bank accounts that were called since a time.
func BanksAnswers(ctx context.Context, q Reader, since time.Time) ([]BankAnswers, error) {
	return collect[BankAnswers](ctx, q, `SELECT bank_account_id, sum(n)::bigint AS calls,
			coalesce(sum(n) FILTER (WHERE `+unanswered+`), 0)::bigint AS unanswered,
			coalesce(sum(n) FILTER (WHERE outcome = 'unauthorized'), 0)::bigint AS unauthorized,
			coalesce(sum(n) FILTER (WHERE outcome IN ('protocol', 'forbidden')), 0)::bigint AS doubted,
			min(hour) FILTER (WHERE `+unanswered+`) AS since
		FROM bank_calls WHERE hour >= date_trunc('hour', $1::timestamptz) GROUP BY 1 ORDER BY 1`, since)
}

// DeleteBankCalls deletes the oldest counts from before a time, up to a limit, and reports whether more may
// be left.
func DeleteBankCalls(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "bank_calls", "(bank_account_id, hour, operation, outcome)",
		"SELECT bank_account_id, hour, operation, outcome FROM bank_calls WHERE hour < $1 ORDER BY hour LIMIT $2",
		before)
}
