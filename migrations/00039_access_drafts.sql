-- +goose Up

-- What a merchant has answered so far of a request for production access, to come back
-- to. It goes when the request is sent.
CREATE TABLE access_drafts (
    id       text PRIMARY KEY REFERENCES accounts, -- of the account
    answers  bytea NOT NULL CHECK (octet_length(answers) <= 65536), -- as typed; sealed
    saved_by text NOT NULL REFERENCES users,
    saved_at timestamptz NOT NULL
);

-- When a person was last seen, for their colleagues: a session that ends leaves here
-- what it knew. A person whom somebody else is changing just now is left out, since
-- nobody should wait for so little.
ALTER TABLE users ADD COLUMN last_seen_at timestamptz;

-- +goose StatementBegin
CREATE FUNCTION sessions_leave_last_seen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH seen AS (SELECT user_id, max(last_seen_at) AS at FROM ended WHERE NOT awaits_code GROUP BY user_id),
        free AS (SELECT u.id FROM users u JOIN seen ON seen.user_id = u.id FOR NO KEY UPDATE OF u SKIP LOCKED)
    UPDATE users u SET last_seen_at = greatest(u.last_seen_at, seen.at) FROM seen, free WHERE u.id = seen.user_id AND u.id = free.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER sessions_leave_last_seen AFTER DELETE ON sessions
    REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION sessions_leave_last_seen();

-- +goose Down
DROP TRIGGER sessions_leave_last_seen ON sessions;
DROP FUNCTION sessions_leave_last_seen;
ALTER TABLE users DROP COLUMN last_seen_at;
DROP TABLE access_drafts;
