-- +goose Up

-- The order in which events became visible, for streams of test events. Times and ids
-- cannot tell it: a transaction may commit long after it chose both. tx is the
-- transaction that wrote the event, and seen is what that one saw to have ended: who
-- goes on after the event need look at nothing that is in there. What was there before
-- this migration comes before all else, and has seen nothing.
ALTER TABLE events ADD COLUMN tx xid8 NOT NULL DEFAULT '1', ADD COLUMN seen pg_snapshot;
ALTER TABLE events
    ALTER COLUMN tx SET DEFAULT pg_current_xact_id(),
    ALTER COLUMN seen SET DEFAULT pg_current_snapshot(),
    ADD CONSTRAINT events_seen CHECK (seen IS NOT NULL OR tx = '1');
CREATE INDEX events_by_commit ON events (project_id, tx) WHERE NOT livemode;

-- +goose Down
DROP INDEX events_by_commit;
ALTER TABLE events DROP COLUMN tx, DROP COLUMN seen;
