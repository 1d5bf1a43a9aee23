-- +goose Up

-- The number of the case elsewhere that made staff turn a switch; merchants do not see it.
ALTER TABLE switch_changes ADD COLUMN ticket text CHECK (char_length(ticket) BETWEEN 1 AND 100);

-- What staff note about an account for each other, for ever.
CREATE TABLE account_notes (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id text NOT NULL REFERENCES accounts,
    text       text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 2000),
    written_by text NOT NULL REFERENCES users,
    written_at timestamptz NOT NULL
);
CREATE INDEX account_notes_by_account ON account_notes (account_id, id DESC);
CREATE TRIGGER account_notes_final BEFORE UPDATE OR DELETE OR TRUNCATE ON account_notes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Charges of all merchants are looked for by amount and time. A BRIN index costs a
-- creation nothing.
CREATE INDEX checkouts_by_creation ON checkouts USING brin (created_at);

-- +goose Down
DROP INDEX checkouts_by_creation;
DROP TABLE account_notes;
ALTER TABLE switch_changes DROP COLUMN ticket;
