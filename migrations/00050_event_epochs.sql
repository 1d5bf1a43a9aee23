-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00042: programs without epochs write into the newest one, by the default

-- Each PostgreSQL cluster counts transactions for itself, so events.tx of a restored
-- backup says nothing beside the numbers of the cluster that it is restored into. An
-- epoch holds the events of one cluster. After a restore the default of events.epoch
-- is raised, and no row of an event is written.
CREATE TABLE IF NOT EXISTS event_epochs (
    epoch    integer PRIMARY KEY,
    began_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO event_epochs (epoch) VALUES (0) ON CONFLICT DO NOTHING;
ALTER TABLE events ADD COLUMN IF NOT EXISTS epoch integer NOT NULL DEFAULT 0;

-- Building an index beside writers waits for old transactions, and nothing waits for it.
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS events_by_epoch;
CREATE INDEX CONCURRENTLY events_by_epoch ON events (project_id, epoch, tx) WHERE NOT livemode;
-- Programs without epochs find the events of a stream by events_by_page from now on.
DROP INDEX CONCURRENTLY IF EXISTS events_by_commit;
RESET lock_timeout;

-- +goose Down
CREATE INDEX events_by_commit ON events (project_id, tx) WHERE NOT livemode;
DROP INDEX events_by_epoch;
ALTER TABLE events DROP COLUMN epoch;
DROP TABLE event_epochs;
