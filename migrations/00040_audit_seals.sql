-- +goose Up

-- What the person was when they acted: a role of staff, or one in the account.
ALTER TABLE audit_log ADD COLUMN actor_role text NOT NULL DEFAULT '';

-- Seals over the lines of the audit log, append-only as they are. Each covers what came
-- after the one before, and its hash that one's, so that a line cannot be changed, left
-- out or put in without the chain telling (decision 0040).
CREATE TABLE audit_seals (
    number    bigint PRIMARY KEY CHECK (number > 0),
    through   bigint NOT NULL UNIQUE CHECK (through > 0), -- the id of the last line it covers
    lines     bytea NOT NULL, -- of each line: id, 8 bytes; SHA-256 of what it says, 32 bytes
    hash      bytea NOT NULL, -- SHA-256 of the hash before and of lines
    sealed_at timestamptz NOT NULL,
    CONSTRAINT audit_seals_lines CHECK (octet_length(lines) > 0 AND octet_length(lines) % 40 = 0),
    CONSTRAINT audit_seals_hash CHECK (octet_length(hash) = 32)
);
CREATE TRIGGER audit_seals_final BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What the installation's own examinations found last.
CREATE TABLE examinations (
    kind        text PRIMARY KEY CHECK (kind IN ('audit', 'books')),
    examined_at timestamptz NOT NULL,
    flaws       text[] NOT NULL -- empty: all is well
);

-- +goose Down
DROP TABLE audit_seals, examinations;
ALTER TABLE audit_log DROP COLUMN actor_role;
