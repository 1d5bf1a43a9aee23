-- +goose Up
-- compatible with 00094: older programs name the table nowhere, and what they delete of sessions leaves it too

-- Tokens that sessions had before their persons proved who they are. A browser may use one for a few seconds, for
-- requests that were on their way, with the rights that the session had then.
CREATE TABLE former_tokens (
    token_hash    bytea PRIMARY KEY CONSTRAINT former_tokens_token_hash CHECK (octet_length(token_hash) = 32),
    session_id    text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    ends_at       timestamptz NOT NULL,
    proven_at     timestamptz NOT NULL,
    second_factor boolean NOT NULL
);
CREATE INDEX former_tokens_by_session ON former_tokens (session_id);

-- +goose Down
DROP TABLE former_tokens;
