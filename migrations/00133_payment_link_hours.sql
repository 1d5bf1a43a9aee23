-- +goose Up
-- compatible with 00094: older programs name neither the table nor the columns; the marks below know which hours have
-- counts of links

-- What came of a payment link within an hour: visits of its page, charges created, those of them that are paid by
-- now, and what was paid in the hour (docs/decisions/0084). Visits are added by processes, the rest is rolled up.
CREATE TABLE payment_link_hours (
    payment_link_id text NOT NULL REFERENCES payment_links (id),
    hour timestamptz NOT NULL,
    visits bigint NOT NULL DEFAULT 0 CHECK (visits >= 0),
    created integer NOT NULL DEFAULT 0 CHECK (created >= 0),
    converted integer NOT NULL DEFAULT 0 CHECK (converted >= 0),
    paid integer NOT NULL DEFAULT 0 CHECK (paid >= 0),
    volume bigint NOT NULL DEFAULT 0 CHECK (volume >= 0),
    PRIMARY KEY (payment_link_id, hour)
);

-- The hours from linked_from to linked_until have counts of links. NULL: no hour has them yet.
ALTER TABLE checkout_hours_until
    ADD COLUMN linked_from timestamptz,
    ADD COLUMN linked_until timestamptz;

-- +goose Down
ALTER TABLE checkout_hours_until DROP COLUMN linked_until, DROP COLUMN linked_from;
DROP TABLE payment_link_hours;
