-- +goose Up
-- compatible with 00062: older programs do not name the column, and refuse what it allows

-- The key may read events and have them sent again, which a person has turned on.
ALTER TABLE api_keys ADD COLUMN events boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE api_keys DROP COLUMN events;
