-- +goose Up

-- The one row says which secret key sealed what is in this database, so that an
-- instance with another key stops before it writes what nobody can open.
CREATE TABLE installation (
    singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    key_check  bytea NOT NULL, -- a fixed text, sealed
    created_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE installation;
