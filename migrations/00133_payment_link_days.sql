-- +goose Up
-- compatible with 00094: older programs name neither of the tables

-- What came of a payment link on a day of Brasília: visits of its page, charges created, those of them that are paid
-- by now, and what was paid on the day (docs/decisions/0084). day is when the day begins. Processes add visits at any
-- time; the rest is counted after the day.
CREATE TABLE payment_link_days (
    payment_link_id text NOT NULL REFERENCES payment_links (id),
    day timestamptz NOT NULL CHECK (extract(epoch FROM day)::bigint % 86400 = 10800),
    visits bigint NOT NULL DEFAULT 0 CHECK (visits >= 0),
    created integer NOT NULL DEFAULT 0 CHECK (created >= 0),
    converted integer NOT NULL DEFAULT 0 CHECK (converted >= 0),
    paid integer NOT NULL DEFAULT 0 CHECK (paid >= 0),
    volume bigint NOT NULL DEFAULT 0 CHECK (volume >= 0),
    PRIMARY KEY (payment_link_id, day)
);

-- The days from since to before until are counted, with the payments recorded before recorded. NULL: none is.
CREATE TABLE payment_link_days_until (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    since timestamptz,
    until timestamptz,
    recorded timestamptz,
    CHECK (num_nulls(since, until, recorded) IN (0, 3) AND since <= until)
);
INSERT INTO payment_link_days_until DEFAULT VALUES;

-- +goose Down
DROP TABLE payment_link_days_until;
DROP TABLE payment_link_days;
