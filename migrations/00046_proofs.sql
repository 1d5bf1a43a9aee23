-- +goose NO TRANSACTION
-- +goose Up

-- Between which ids an account's transfers of an hour lie, by the time that they carry.
-- A statement of some days reads those ids, and what came after through_id. A job keeps
-- both; rows only ever widen.
CREATE TABLE IF NOT EXISTS ledger_hours (
    account_id text NOT NULL,
    livemode   boolean NOT NULL,
    hour       timestamptz NOT NULL, -- a whole hour of UTC
    first_id   bigint NOT NULL,
    last_id    bigint NOT NULL,
    PRIMARY KEY (account_id, livemode, hour)
);
CREATE TABLE IF NOT EXISTS ledger_hours_through (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    through_id bigint NOT NULL
);
INSERT INTO ledger_hours_through (through_id) VALUES (0) ON CONFLICT DO NOTHING;

-- Each transfer of a book after one id and up to another, below zero if the book gave. The
-- plan is made as for ledger_moved.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_changes(of_book text, after_id bigint, until_id bigint) RETURNS TABLE (id bigint, amount bigint)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 SET jit = off
    SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY SELECT t.id, t.amount FROM ledger_transfers t
        WHERE (t.to_book, t.id) > (of_book, after_id) AND (t.to_book, t.id) <= (of_book, until_id)
        UNION ALL
        SELECT t.id, -t.amount FROM ledger_transfers t
        WHERE (t.from_book, t.id) > (of_book, after_id) AND (t.from_book, t.id) <= (of_book, until_id);
END $$;
-- +goose StatementEnd

-- No reader is left: a statement trusts no clock of who took a snapshot.
DROP INDEX CONCURRENTLY IF EXISTS ledger_snapshots_by_time;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS ledger_snapshots_by_time ON ledger_snapshots (account_id, livemode, taken_at);
DROP FUNCTION ledger_changes;
DROP TABLE ledger_hours, ledger_hours_through;
