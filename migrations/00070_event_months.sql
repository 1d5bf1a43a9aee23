-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00062: older programs do not name the column, and its default serves them

-- The month, in UTC, in which what the event is about was created. All events about one object have the same, so
-- that a table of one month can promise that there is one of each. Rows of programs that do not know the column,
-- and of the time before it, have the default.
ALTER TABLE events
    ADD COLUMN IF NOT EXISTS month date NOT NULL DEFAULT '2000-01-01',
    DROP CONSTRAINT IF EXISTS events_before,
    ADD CONSTRAINT events_before CHECK (month < '2026-11-01') NOT VALID;
ALTER TABLE events VALIDATE CONSTRAINT events_before;
ALTER TABLE webhook_deliveries
    ADD COLUMN IF NOT EXISTS month date NOT NULL DEFAULT '2000-01-01',
    DROP CONSTRAINT IF EXISTS webhook_deliveries_before,
    ADD CONSTRAINT webhook_deliveries_before CHECK (month < '2026-11-01') NOT VALID;
ALTER TABLE webhook_deliveries VALIDATE CONSTRAINT webhook_deliveries_before;
ALTER TABLE webhook_attempts
    ADD COLUMN IF NOT EXISTS month date NOT NULL DEFAULT '2000-01-01',
    DROP CONSTRAINT IF EXISTS webhook_attempts_before,
    ADD CONSTRAINT webhook_attempts_before CHECK (month < '2026-11-01') NOT VALID;
ALTER TABLE webhook_attempts VALIDATE CONSTRAINT webhook_attempts_before;

-- +goose Down
ALTER TABLE webhook_attempts DROP COLUMN month;
ALTER TABLE webhook_deliveries DROP COLUMN month;
ALTER TABLE events DROP COLUMN month;
