-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00054: new tables, which older programs do not use

-- The calls of banks, counted by hour. Processes add to the rows; they are deleted after 30 days.
CREATE TABLE IF NOT EXISTS bank_calls (
    bank_account_id text NOT NULL CONSTRAINT bank_calls_bank_account_id_fkey REFERENCES bank_accounts,
    hour timestamptz NOT NULL,
    operation text NOT NULL CONSTRAINT bank_calls_operation CHECK (char_length(operation) BETWEEN 1 AND 40),
    outcome text NOT NULL CONSTRAINT bank_calls_outcome CHECK (char_length(outcome) BETWEEN 1 AND 40), -- ok, held, or the kind of the error
    n bigint NOT NULL CONSTRAINT bank_calls_n CHECK (n > 0),
    total_ms bigint NOT NULL CONSTRAINT bank_calls_total_ms CHECK (total_ms >= 0),
    max_ms bigint NOT NULL CONSTRAINT bank_calls_max_ms CHECK (max_ms BETWEEN 0 AND total_ms),
    PRIMARY KEY (bank_account_id, hour, operation, outcome)
);
CREATE INDEX IF NOT EXISTS bank_calls_hour ON bank_calls (hour);

-- What the processes that call a bank know of it. It is apart from bank_accounts, whose rows approvals lock.
CREATE TABLE IF NOT EXISTS bank_states (
    bank_account_id text PRIMARY KEY CONSTRAINT bank_states_bank_account_id_fkey REFERENCES bank_accounts,
    last_answer_at timestamptz,
    last_failure_at timestamptz, -- of a call that the bank did not answer
    silent_since timestamptz, -- the first such call after the last answer; null: the bank answers
    held_since timestamptz, -- calls fail at once since then; null: they are made
    last_failure text NOT NULL DEFAULT '' -- of any kind, also a refusal
        CONSTRAINT bank_states_last_failure CHECK (char_length(last_failure) <= 300),
    failed_at timestamptz, -- when that was
    skew_ms bigint NOT NULL DEFAULT 0, -- how much the bank's clock is ahead
    granted_scopes text[] -- null: the bank does not say
);

-- The Pix of a day in São Paulo, and what was returned of them, at the bank and in the books.
CREATE TABLE IF NOT EXISTS bank_days (
    bank_account_id text NOT NULL CONSTRAINT bank_days_bank_account_id_fkey REFERENCES bank_accounts,
    day date NOT NULL,
    bank_pix bigint NOT NULL DEFAULT 0,
    bank_pix_sum bigint NOT NULL DEFAULT 0,
    books_pix bigint NOT NULL DEFAULT 0,
    books_pix_sum bigint NOT NULL DEFAULT 0,
    bank_returns bigint NOT NULL DEFAULT 0,
    bank_returns_sum bigint NOT NULL DEFAULT 0,
    books_returns bigint NOT NULL DEFAULT 0,
    books_returns_sum bigint NOT NULL DEFAULT 0,
    differing jsonb NOT NULL DEFAULT '[]' CONSTRAINT bank_days_differing CHECK (jsonb_typeof(differing) = 'array'), -- Pix
    compared_at timestamptz, -- null: not yet
    progress jsonb, -- of a comparison under way
    retry_at timestamptz, -- the bank did not answer, and is asked again then
    differs boolean NOT NULL GENERATED ALWAYS AS (differing <> '[]'
        OR (bank_pix, bank_pix_sum, bank_returns, bank_returns_sum) <> (books_pix, books_pix_sum, books_returns, books_returns_sum)) STORED,
    PRIMARY KEY (bank_account_id, day)
);
CREATE INDEX IF NOT EXISTS bank_days_differing_days ON bank_days (bank_account_id, day) WHERE differs;

-- An account is closed when nothing of it is open any more.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION bank_accounts_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM bank_charges WHERE bank_account_id = NEW.id AND next_check_at IS NOT NULL)
        OR EXISTS (SELECT FROM refunds r JOIN payments p ON p.id = r.payment_id
            WHERE r.next_try_at IS NOT NULL AND p.bank_account_id = NEW.id) THEN
        RAISE EXCEPTION 'a bank account with open charges or refunds cannot be closed'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bank_accounts_closed';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER bank_accounts_closed BEFORE UPDATE ON bank_accounts
    FOR EACH ROW WHEN (NEW.status = 'CLOSED' AND OLD.status <> 'CLOSED') EXECUTE FUNCTION bank_accounts_closed();

-- Charges that the bank has otherwise, for the page of health.
DROP INDEX CONCURRENTLY IF EXISTS bank_charges_conflict;
CREATE INDEX CONCURRENTLY bank_charges_conflict ON bank_charges (bank_account_id, created_at) WHERE status = 'CONFLICT';

-- +goose Down
DROP INDEX bank_charges_conflict;
DROP TRIGGER bank_accounts_closed ON bank_accounts;
DROP FUNCTION bank_accounts_closed;
DROP TABLE bank_days;
DROP TABLE bank_states;
DROP TABLE bank_calls;
