-- +goose Up

-- Passkeys of people. Nothing here opens anything: the private keys stay on devices.
CREATE TABLE passkeys (
    id            text PRIMARY KEY CHECK (id ~ '^pky_[0-9a-f]{20}$'),
    user_id       text NOT NULL REFERENCES users,
    name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    credential_id bytea NOT NULL CHECK (octet_length(credential_id) BETWEEN 1 AND 1023), -- made by the device
    public_key    bytea NOT NULL CHECK (octet_length(public_key) BETWEEN 1 AND 4096), -- in COSE
    sign_count    bigint NOT NULL CHECK (sign_count BETWEEN 0 AND 4294967295), -- 0 for ever where the device does not count
    synced        boolean NOT NULL, -- may be copied to other devices of the person
    created_at    timestamptz NOT NULL,
    last_used_at  timestamptz,
    CONSTRAINT passkeys_credential_unique UNIQUE (credential_id)
);
CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at, id);

-- A passkey is never another's, nor another; and a count that does not grow is a copy's.
-- +goose StatementBegin
CREATE FUNCTION passkeys_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.user_id, NEW.credential_id, NEW.public_key, NEW.synced, NEW.created_at) IS DISTINCT FROM
        (OLD.id, OLD.user_id, OLD.credential_id, OLD.public_key, OLD.synced, OLD.created_at) OR NEW.sign_count < OLD.sign_count THEN
        RAISE EXCEPTION 'a passkey never becomes another' USING ERRCODE = 'check_violation', CONSTRAINT = 'passkeys_stay';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER passkeys_stay BEFORE UPDATE ON passkeys FOR EACH ROW EXECUTE FUNCTION passkeys_stay();

-- What browsers were asked to have signed. A row is deleted by the answer to it, or
-- when it is too late for one.
CREATE TABLE passkey_challenges (
    challenge  bytea PRIMARY KEY CHECK (octet_length(challenge) >= 16),
    purpose    text NOT NULL CHECK (purpose IN ('LOG_IN', 'PROVE', 'ADD')),
    browser    bytea NOT NULL CHECK (octet_length(browser) = 32), -- SHA-256 of what only the one asked keeps
    expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);

-- +goose Down
DROP TABLE passkey_challenges, passkeys;
DROP FUNCTION passkeys_stay;
