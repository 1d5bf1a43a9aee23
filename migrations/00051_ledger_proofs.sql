-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00042: programs without proofs compare everything, every hour

-- The proof of the books (decision 0046): each row covers the transfers after the one
-- before, which were compared with what asked for them, and chains their hash.
CREATE TABLE IF NOT EXISTS ledger_proofs (
    number     bigint PRIMARY KEY CHECK (number > 0),
    after_id   bigint NOT NULL,
    through_id bigint NOT NULL UNIQUE,
    transfers  bigint NOT NULL,
    content    bytea NOT NULL CHECK (octet_length(content) = 32), -- SHA-256 of the transfers
    hash       bytea NOT NULL CHECK (octet_length(hash) = 32), -- SHA-256 of the hash before and of content
    proven_at  timestamptz NOT NULL,
    CONSTRAINT ledger_proofs_range CHECK (after_id < through_id)
);
-- +goose StatementBegin
CREATE OR REPLACE TRIGGER ledger_proofs_final BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_proofs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- +goose StatementEnd

-- What did not agree when it was compared last. It is compared again until it does.
CREATE TABLE IF NOT EXISTS ledger_doubts (
    kind text NOT NULL,
    id   text NOT NULL,
    PRIMARY KEY (kind, id)
);

-- How far the pass over everything got; began_at is null while none is under way.
CREATE TABLE IF NOT EXISTS ledger_pass (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    stage    integer NOT NULL DEFAULT 0,
    after    text NOT NULL DEFAULT '',
    compared bigint NOT NULL DEFAULT 0,
    began_at timestamptz,
    accounts_through bigint NOT NULL DEFAULT 0 -- up to where accounts that moved were compared
);
INSERT INTO ledger_pass DEFAULT VALUES ON CONFLICT DO NOTHING;

-- Of each account with settlements: how much was settled after the first proof and up to
-- a transfer, and the rest that the sum of its books leaves, which never changes.
CREATE TABLE IF NOT EXISTS account_proofs (
    account_id text NOT NULL,
    livemode   boolean NOT NULL,
    through_id bigint NOT NULL,
    settled    bigint NOT NULL,
    rest       bigint NOT NULL,
    PRIMARY KEY (account_id, livemode)
);
ALTER TABLE account_books ADD COLUMN IF NOT EXISTS completed bigint NOT NULL DEFAULT 0; -- of checkouts, since this column exists
ALTER TABLE examinations DROP CONSTRAINT IF EXISTS examinations_kind_check,
    ADD CONSTRAINT examinations_kind_check CHECK (kind IN ('audit', 'books', 'books_full')) NOT VALID;
ALTER TABLE examinations VALIDATE CONSTRAINT examinations_kind_check;

-- The proof finds new rows by their times. Building an index beside writers waits for old
-- transactions, and nothing waits for it.
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS withdrawals_by_update;
CREATE INDEX CONCURRENTLY withdrawals_by_update ON withdrawals (updated_at);
DROP INDEX CONCURRENTLY IF EXISTS refunds_by_time;
CREATE INDEX CONCURRENTLY refunds_by_time ON refunds (created_at);
DROP INDEX CONCURRENTLY IF EXISTS blocked_amounts_by_time;
CREATE INDEX CONCURRENTLY blocked_amounts_by_time ON blocked_amounts ((coalesce(released_at, created_at)));
DROP INDEX CONCURRENTLY IF EXISTS payment_exceptions_by_decision;
CREATE INDEX CONCURRENTLY payment_exceptions_by_decision ON payment_exceptions (decided_at) WHERE decided_at IS NOT NULL;

-- +goose Down
DROP INDEX withdrawals_by_update, refunds_by_time, blocked_amounts_by_time, payment_exceptions_by_decision;
DROP TABLE ledger_proofs, ledger_doubts, ledger_pass, account_proofs;
ALTER TABLE account_books DROP COLUMN completed;
DELETE FROM examinations WHERE kind = 'books_full';
ALTER TABLE examinations DROP CONSTRAINT examinations_kind_check, ADD CONSTRAINT examinations_kind_check CHECK (kind IN ('audit', 'books'));
