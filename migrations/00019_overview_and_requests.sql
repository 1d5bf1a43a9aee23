-- +goose Up

-- What happened in each whole hour, for pages that look weeks back: they never count
-- millions of rows. Hours without anything have no row.
CREATE TABLE checkout_hours (
    project_id text NOT NULL REFERENCES projects,
    livemode   boolean NOT NULL,
    hour       timestamptz NOT NULL,
    created    integer NOT NULL CHECK (created >= 0),
    paid       integer NOT NULL CHECK (paid >= 0),
    volume     bigint NOT NULL CHECK (volume >= 0), -- of those paid, by the institution's time
    PRIMARY KEY (project_id, livemode, hour)
);
-- The hours before until are in checkout_hours, with every payment that was recorded
-- before recorded. What came after is counted when it is asked for.
CREATE TABLE checkout_hours_until (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    until    timestamptz NOT NULL,
    recorded timestamptz NOT NULL
);
INSERT INTO checkout_hours_until (until, recorded) VALUES ('2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z');
CREATE INDEX checkouts_by_paid_at ON checkouts (project_id, livemode, paid_at) INCLUDE (amount) WHERE status = 'PAID';
CREATE INDEX payments_by_recording ON payments USING brin (recorded_at);

-- Calls of the API that came with a key, for the developers who made them. Rows are
-- written in order and deleted in order, after 30 days.
CREATE TABLE api_requests (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id  text NOT NULL,
    livemode    boolean NOT NULL,
    request_id  text NOT NULL,
    at          timestamptz NOT NULL,
    method      text NOT NULL,
    path        text NOT NULL,
    status      smallint NOT NULL,
    duration    integer NOT NULL, -- microseconds
    key_id      text NOT NULL,
    error_code  text NOT NULL DEFAULT '',
    request     text NOT NULL DEFAULT '', -- bodies, with what is private masked, and cut
    answer      text NOT NULL DEFAULT ''
);
CREATE INDEX api_requests_by_page ON api_requests (project_id, livemode, id DESC);
CREATE INDEX api_requests_failed ON api_requests (project_id, livemode, id DESC) WHERE status >= 400;
CREATE INDEX api_requests_by_request_id ON api_requests (request_id);

-- +goose Down
DROP TABLE api_requests;
DROP INDEX payments_by_recording, checkouts_by_paid_at;
DROP TABLE checkout_hours_until, checkout_hours;
