-- +goose Up
-- compatible with 00069: older programs do not stream the audit log

-- How far the audit log was handed to a receiver outside of the installation. There is at most one row.
CREATE TABLE audit_stream (
    one           boolean PRIMARY KEY DEFAULT true CONSTRAINT audit_stream_one CHECK (one),
    seal          bigint NOT NULL CONSTRAINT audit_stream_seal CHECK (seal >= 0), -- the last seal that it has
    leased_by     text NOT NULL, -- the round of a process that streams
    leased_until  timestamptz NOT NULL, -- or until when the pause after a failure lasts
    sent_at       timestamptz,
    failing_since timestamptz, -- null: the last attempt succeeded
    failure       text NOT NULL DEFAULT '' -- of the last attempt, without the address
);

-- +goose Down
DROP TABLE audit_stream;
