-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00062: older programs name neither the table nor the columns, and use no token of the new purpose

-- The browsers in which a person has logged in. A browser is known by a random cookie; place is a keyed digest of
-- it, the same as in log_in_places.
CREATE TABLE IF NOT EXISTS devices (
    id text PRIMARY KEY CONSTRAINT devices_id_form CHECK (id ~ '^dev_[0-9a-f]{20}$'),
    user_id text NOT NULL REFERENCES users,
    place bytea NOT NULL CONSTRAINT devices_place CHECK (octet_length(place) = 32),
    name text NOT NULL,
    ip text NOT NULL,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    CONSTRAINT devices_once UNIQUE (user_id, place)
);
CREATE INDEX IF NOT EXISTS devices_by_use ON devices (last_seen_at);

-- The device of a session, and the device that the link of a mail is about.
ALTER TABLE sessions ADD COLUMN IF NOT EXISTS device_id text;
ALTER TABLE tokens ADD COLUMN IF NOT EXISTS device_id text;
ALTER TABLE tokens DROP CONSTRAINT IF EXISTS tokens_purpose_check,
    ADD CONSTRAINT tokens_purpose_check
    CHECK (purpose IN ('VERIFY_EMAIL', 'RESET_PASSWORD', 'CHANGE_EMAIL', 'NEW_DEVICE')) NOT VALID;
ALTER TABLE tokens VALIDATE CONSTRAINT tokens_purpose_check;

-- +goose Down
DELETE FROM tokens WHERE purpose = 'NEW_DEVICE';
ALTER TABLE tokens DROP CONSTRAINT tokens_purpose_check,
    ADD CONSTRAINT tokens_purpose_check CHECK (purpose IN ('VERIFY_EMAIL', 'RESET_PASSWORD', 'CHANGE_EMAIL'));
ALTER TABLE tokens DROP COLUMN device_id;
ALTER TABLE sessions DROP COLUMN device_id;
DROP TABLE devices;
