-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00062: older programs leave the new columns alone, and serve deliveries by their own jobs

-- A pending delivery is its own place in the queue. A process that takes one has it until leased_until, by the
-- clock of the database, and renews that while it works on it.
ALTER TABLE webhook_deliveries
    ADD COLUMN IF NOT EXISTS priority smallint NOT NULL DEFAULT 2, -- 1: asked for by a person, 2: an event, 3: a replay
    ADD COLUMN IF NOT EXISTS leased_until timestamptz,
    DROP CONSTRAINT IF EXISTS webhook_deliveries_priority,
    ADD CONSTRAINT webhook_deliveries_priority CHECK (priority BETWEEN 1 AND 3) NOT VALID,
    DROP CONSTRAINT IF EXISTS webhook_deliveries_scheduled,
    ADD CONSTRAINT webhook_deliveries_scheduled CHECK (status <> 'PENDING' OR next_attempt_at IS NOT NULL) NOT VALID;
ALTER TABLE webhook_deliveries VALIDATE CONSTRAINT webhook_deliveries_priority;
ALTER TABLE webhook_deliveries VALIDATE CONSTRAINT webhook_deliveries_scheduled;
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_deliveries_due ON webhook_deliveries
    (endpoint_id, priority, next_attempt_at) WHERE status = 'PENDING';

-- An attempt that lost its lease, and was recorded after another process had taken its place in the schedule.
ALTER TABLE webhook_attempts ADD COLUMN IF NOT EXISTS late boolean NOT NULL DEFAULT false;

-- Attempts that persons asked for, outside of the schedule. A row is kept for a day after its end, because it
-- identifies the form that asked.
CREATE TABLE IF NOT EXISTS webhook_resends (
    delivery_id text NOT NULL CONSTRAINT webhook_resends_delivery_id_fkey REFERENCES webhook_deliveries,
    token bytea NOT NULL CONSTRAINT webhook_resends_token CHECK (octet_length(token) = 32), -- SHA-256 of the form's
    endpoint_id text NOT NULL CONSTRAINT webhook_resends_endpoint_id_fkey REFERENCES webhook_endpoints,
    requested_at timestamptz NOT NULL,
    leased_until timestamptz,
    finished_at timestamptz,
    PRIMARY KEY (delivery_id, token)
);
CREATE INDEX IF NOT EXISTS webhook_resends_due ON webhook_resends (endpoint_id, requested_at) WHERE finished_at IS NULL;
CREATE INDEX IF NOT EXISTS webhook_resends_finished ON webhook_resends (finished_at) WHERE finished_at IS NOT NULL;
INSERT INTO webhook_resends (delivery_id, token, endpoint_id, requested_at, finished_at)
    SELECT d.id, j.unique_key, d.endpoint_id, j.created_at, j.finalized_at
    FROM river_job j JOIN webhook_deliveries d ON d.id = j.args ->> 'deliveryId'
    WHERE j.kind = 'deliver_webhook' AND (j.args ->> 'manual')::boolean AND octet_length(j.unique_key) = 32
    ON CONFLICT DO NOTHING;

-- +goose Down
DROP TABLE webhook_resends;
ALTER TABLE webhook_attempts DROP COLUMN late;
DROP INDEX webhook_deliveries_due;
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_scheduled,
    DROP CONSTRAINT webhook_deliveries_priority, DROP COLUMN priority, DROP COLUMN leased_until;
