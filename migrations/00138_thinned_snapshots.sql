-- +goose Up
-- compatible with 00094: older programs read the newest snapshot, or the latest of those before an id

-- Snapshots of balances are written every minute. Of those that are older than a day one an hour is enough, of those
-- older than 32 days one a day, and of those older than 400 days one a month, but one for each 50,000 lines of the
-- books, so that a sum from a snapshot has no more lines to add (docs/decisions/0089).

-- How far snapshots were looked at that are old enough for one an hour, a day or a month.
CREATE TABLE ledger_thinned (
    period     text PRIMARY KEY CHECK (period IN ('hour', 'day', 'month')),
    through_id bigint NOT NULL
);
INSERT INTO ledger_thinned (period, through_id) VALUES ('hour', 0), ('day', 0), ('month', 0);

-- +goose StatementBegin
-- ledger_thins reports whether the later of two snapshots of an account is enough for both.
CREATE FUNCTION ledger_thins(period text, taken_at timestamptz, through_id bigint, later_at timestamptz, later_id bigint)
    RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT date_trunc(period, taken_at, 'UTC') = date_trunc(period, later_at, 'UTC')
        AND through_id / 50000 = later_id / 50000
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- ledger_snapshots_thinned refuses to delete a snapshot unless the next one of the account stays, is enough by the
-- age that the snapshot has by the clock of the database, and a proof has compared both and nothing is in doubt.
CREATE FUNCTION ledger_snapshots_thinned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Triples are compared and sorted, because only the primary key can do that; OFFSET 0 keeps it one text a row.
    IF EXISTS (SELECT FROM gone g
        CROSS JOIN LATERAL (SELECT CASE WHEN g.taken_at < now() - interval '400 days' THEN 'month'
            WHEN g.taken_at < now() - interval '32 days' THEN 'day'
            WHEN g.taken_at < now() - interval '1 day' THEN 'hour' END AS period OFFSET 0) may
        LEFT JOIN LATERAL (SELECT s.* FROM ledger_snapshots s
            WHERE (s.account_id, s.livemode, s.through_id) > (g.account_id, g.livemode, g.through_id)
            ORDER BY s.account_id, s.livemode, s.through_id LIMIT 1) later ON true
        WHERE (later.account_id, later.livemode) IS DISTINCT FROM (g.account_id, g.livemode)
            OR ledger_thins(may.period, g.taken_at, g.through_id, later.taken_at, later.through_id) IS NOT true
            OR later.through_id > coalesce((SELECT max(through_id) FROM ledger_proofs), 0)
            OR EXISTS (SELECT FROM ledger_doubts WHERE kind = 'snapshot'
                AND id = g.account_id || CASE WHEN g.livemode THEN '/live/' ELSE '/test/' END || g.through_id))
    THEN
        RAISE EXCEPTION 'ledger_snapshots is append-only, but for those that a later one of the period replaces'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER ledger_snapshots_thinned AFTER DELETE ON ledger_snapshots REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_snapshots_thinned();
CREATE OR REPLACE TRIGGER ledger_snapshots_final BEFORE UPDATE OR TRUNCATE ON ledger_snapshots
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- +goose Down
CREATE OR REPLACE TRIGGER ledger_snapshots_final BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_snapshots
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
DROP TRIGGER ledger_snapshots_thinned ON ledger_snapshots;
DROP FUNCTION ledger_snapshots_thinned(), ledger_thins(text, timestamptz, bigint, timestamptz, bigint);
DROP TABLE ledger_thinned;
