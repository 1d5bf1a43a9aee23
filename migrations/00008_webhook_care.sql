-- +goose Up

-- A secret that was rotated signs too until previous_secret_until.
ALTER TABLE webhook_endpoints
    ADD COLUMN previous_secret bytea, -- sealed
    ADD COLUMN previous_secret_until timestamptz,
    ADD CONSTRAINT webhook_endpoints_rotated CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL));

-- A replay begins the schedule anew: what it made before does not count any more.
-- undelivered changes only when something goes wrong, so that a delivery which
-- succeeds at once updates no index.
ALTER TABLE webhook_deliveries
    ADD COLUMN before_replay integer NOT NULL DEFAULT 0 CHECK (before_replay BETWEEN 0 AND attempts), -- attempts of the schedule
    ADD COLUMN undelivered boolean NOT NULL GENERATED ALWAYS AS
        (status IN ('FAILED', 'SKIPPED') OR (status = 'PENDING' AND attempts > 0)) STORED;
CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries (endpoint_id, created_at DESC, event_id DESC) WHERE undelivered;

-- A test event tells of no checkout, so a merchant may send any number of them.
ALTER TABLE events
    ADD COLUMN test boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT events_test_is_about_nothing CHECK (NOT test OR checkout_id IS NULL);
-- The two types that most events are of stand close together in events_by_page.
CREATE INDEX events_by_type ON events (project_id, livemode, type, created_at DESC, id DESC)
    WHERE type NOT IN ('checkout.created', 'checkout.paid');

-- +goose Down
DROP INDEX events_by_type, webhook_deliveries_undelivered;
ALTER TABLE events DROP COLUMN test;
ALTER TABLE webhook_deliveries DROP COLUMN undelivered, DROP COLUMN before_replay;
ALTER TABLE webhook_endpoints DROP COLUMN previous_secret, DROP COLUMN previous_secret_until;
