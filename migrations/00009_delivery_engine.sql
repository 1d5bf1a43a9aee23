-- +goose Up

-- Attempts that a person asked for count apart: they use up none of the five.
ALTER TABLE webhook_attempts ADD COLUMN manual boolean NOT NULL DEFAULT false;
ALTER TABLE webhook_deliveries
    ADD COLUMN manual_attempts integer NOT NULL DEFAULT 0, -- of the finished ones
    ADD CONSTRAINT webhook_deliveries_manual CHECK (manual_attempts BETWEEN 0 AND attempts);
-- Most rows are updated once, soon after they were written: room for that on the
-- same page spares the indexes.
ALTER TABLE webhook_deliveries SET (fillfactor = 80);

-- How an endpoint has fared since its last success. A success clears all but
-- failure_told_at, and writes only if there is something to clear.
ALTER TABLE webhook_endpoints
    ADD COLUMN failing_since   timestamptz, -- the first failed attempt
    ADD COLUMN troubled_at     timestamptz, -- the first time that an event's third attempt failed
    ADD COLUMN failed_events   integer NOT NULL DEFAULT 0 CHECK (failed_events >= 0), -- given up
    ADD COLUMN failure_told_at timestamptz, -- the latest mail about events given up
    ADD COLUMN disabled_at     timestamptz, -- turned off by us, not by a person
    ADD COLUMN disabled_reason text CHECK (disabled_reason IN ('failing')),
    ADD CONSTRAINT webhook_endpoints_disabled CHECK (
        (disabled_at IS NULL) = (disabled_reason IS NULL) AND (disabled_at IS NULL OR NOT active));

-- +goose Down
ALTER TABLE webhook_endpoints
    DROP CONSTRAINT webhook_endpoints_disabled,
    DROP COLUMN failing_since, DROP COLUMN troubled_at, DROP COLUMN failed_events, DROP COLUMN failure_told_at,
    DROP COLUMN disabled_at, DROP COLUMN disabled_reason;
ALTER TABLE webhook_deliveries RESET (fillfactor);
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_manual, DROP COLUMN manual_attempts;
ALTER TABLE webhook_attempts DROP COLUMN manual;
