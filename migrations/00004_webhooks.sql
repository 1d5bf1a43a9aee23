-- +goose Up

-- What happened, as merchants are told it. The body is written once, and every
-- attempt sends the same bytes.
CREATE TABLE events (
    id          text PRIMARY KEY CHECK (id ~ '^evt_[0-9a-f]{24}$'),
    project_id  text NOT NULL REFERENCES projects,
    livemode    boolean NOT NULL,
    type        text NOT NULL,
    checkout_id text REFERENCES checkouts,
    body        bytea NOT NULL,
    created_at  timestamptz NOT NULL,
    CONSTRAINT events_one_each UNIQUE (checkout_id, type) -- a transition is told once
);
CREATE INDEX events_by_page ON events (project_id, livemode, created_at DESC, id DESC);

CREATE TABLE webhook_endpoints (
    id          text PRIMARY KEY CHECK (id ~ '^we_[0-9a-f]{20}$'),
    project_id  text NOT NULL REFERENCES projects,
    livemode    boolean NOT NULL,
    url         text NOT NULL CHECK (char_length(url) BETWEEN 1 AND 2048),
    description text NOT NULL DEFAULT '' CHECK (char_length(description) <= 200),
    types       text[] NOT NULL CHECK (cardinality(types) > 0),
    secret      bytea NOT NULL, -- sealed
    active      boolean NOT NULL DEFAULT true,
    created_at  timestamptz NOT NULL,
    deleted_at  timestamptz -- deliveries keep pointing at it
);
CREATE INDEX webhook_endpoints_by_project ON webhook_endpoints (project_id, livemode) WHERE deleted_at IS NULL;

CREATE TABLE webhook_deliveries (
    id              text PRIMARY KEY CHECK (id ~ '^dlv_[0-9a-f]{24}$'),
    event_id        text NOT NULL REFERENCES events,
    endpoint_id     text NOT NULL REFERENCES webhook_endpoints,
    status          text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'DELIVERED', 'FAILED', 'SKIPPED')),
    attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0), -- finished ones
    next_attempt_at timestamptz, -- null: none is due
    created_at      timestamptz NOT NULL,
    finished_at     timestamptz,
    CONSTRAINT webhook_deliveries_once UNIQUE (event_id, endpoint_id),
    CONSTRAINT webhook_deliveries_finished CHECK ((status = 'PENDING') = (finished_at IS NULL))
);
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, created_at DESC, id DESC);

CREATE TABLE webhook_attempts (
    delivery_id text NOT NULL REFERENCES webhook_deliveries,
    number      integer NOT NULL CHECK (number >= 1),
    started_at  timestamptz NOT NULL,
    duration_ms integer NOT NULL CHECK (duration_ms >= 0),
    status_code integer, -- null: no answer
    error_class text NOT NULL CHECK (error_class IN ('', 'dns', 'connect', 'tls', 'timeout', 'redirect', 'status', 'blocked')),
    detail      text NOT NULL DEFAULT '',
    headers     jsonb NOT NULL,
    response    bytea NOT NULL DEFAULT '', -- its first 2 KiB
    PRIMARY KEY (delivery_id, number)
);

-- +goose Down
DROP TABLE webhook_attempts, webhook_deliveries, webhook_endpoints, events;
