-- +goose Up

-- Who signs up with a passkey has no password, and never neither.
ALTER TABLE users ALTER COLUMN password_hash DROP NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION users_can_log_in() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    person text;
BEGIN
    IF TG_TABLE_NAME = 'users' THEN
        person := NEW.id;
    ELSE
        person := OLD.user_id;
    END IF;
    PERFORM FROM users WHERE id = person AND password_hash IS NULL FOR UPDATE; -- of two who remove the last two, one waits
    IF FOUND AND NOT EXISTS (SELECT FROM passkeys WHERE user_id = person) THEN
        RAISE EXCEPTION 'a person has a password or a passkey' USING ERRCODE = 'check_violation', CONSTRAINT = 'users_can_log_in';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER users_can_log_in AFTER INSERT OR UPDATE OF password_hash ON users
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION users_can_log_in();
CREATE CONSTRAINT TRIGGER passkeys_keep_log_in AFTER DELETE ON passkeys
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION users_can_log_in();

-- What the browser of somebody who is nobody yet was asked to make: a passkey of the
-- person that they become, whose id devices keep.
ALTER TABLE passkey_challenges
    DROP CONSTRAINT passkey_challenges_purpose_check,
    ADD CONSTRAINT passkey_challenges_purpose_check CHECK (purpose IN ('LOG_IN', 'PROVE', 'ADD', 'SIGN_UP')),
    ADD COLUMN new_user_id text CHECK (new_user_id ~ '^usr_[0-9a-f]{20}$'),
    ADD CONSTRAINT passkey_challenges_new_user CHECK ((purpose = 'SIGN_UP') = (new_user_id IS NOT NULL));

-- +goose Down
DELETE FROM passkey_challenges WHERE purpose = 'SIGN_UP';
ALTER TABLE passkey_challenges
    DROP COLUMN new_user_id,
    DROP CONSTRAINT passkey_challenges_purpose_check,
    ADD CONSTRAINT passkey_challenges_purpose_check CHECK (purpose IN ('LOG_IN', 'PROVE', 'ADD'));
DROP TRIGGER passkeys_keep_log_in ON passkeys;
DROP TRIGGER users_can_log_in ON users;
DROP FUNCTION users_can_log_in;
UPDATE users SET password_hash = '' WHERE password_hash IS NULL; -- which no password has
ALTER TABLE users ALTER COLUMN password_hash SET NOT NULL;
