-- +goose Up

-- Who somebody is, beyond the password. The secret of the code generator counts once
-- totp_since says that a code of it was shown to be right; totp_step is the last
-- 30 seconds of which a code was taken, so that none is taken twice.
ALTER TABLE users
    ADD COLUMN email_verified_at timestamptz,
    ADD COLUMN totp_secret bytea, -- sealed
    ADD COLUMN totp_since timestamptz,
    ADD COLUMN totp_step bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT users_totp_has_secret CHECK (totp_since IS NULL OR totp_secret IS NOT NULL);

-- A code for when the generator is lost; each works once. The digest is an HMAC under
-- the installation's key: the codes are too short for a plain hash.
CREATE TABLE recovery_codes (
    user_id text NOT NULL REFERENCES users,
    digest  bytea NOT NULL CHECK (octet_length(digest) = 32),
    used_at timestamptz,
    PRIMARY KEY (user_id, digest)
);

-- A session that awaits a code lets nobody in. proven_at is when its person last
-- showed who they are; second_factor, whether a code was part of it.
ALTER TABLE sessions
    ADD COLUMN id text NOT NULL DEFAULT 'ses_' || left(replace(gen_random_uuid()::text, '-', ''), 20),
    ADD COLUMN proven_at timestamptz NOT NULL DEFAULT '2000-01-01',
    ADD COLUMN second_factor boolean NOT NULL DEFAULT false,
    ADD COLUMN awaits_code boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT sessions_id_unique UNIQUE (id),
    ADD CONSTRAINT sessions_id_form CHECK (id ~ '^ses_[0-9a-f]{20}$');
ALTER TABLE sessions ALTER COLUMN id DROP DEFAULT, ALTER COLUMN proven_at DROP DEFAULT;

-- What a link in a mail is good for, once. The link holds the id with a proof that
-- this installation wrote it (vault.Token), which stands in no table.
CREATE TABLE tokens (
    id         text PRIMARY KEY CHECK (id ~ '^tok_[0-9a-f]{20}$'),
    purpose    text NOT NULL CHECK (purpose IN ('VERIFY_EMAIL', 'RESET_PASSWORD')),
    user_id    text NOT NULL REFERENCES users,
    email      text NOT NULL, -- where the link was sent: it says nothing of another address
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX tokens_by_user ON tokens (user_id, purpose, created_at DESC);

-- An invitation to an account. Its link is made of its id, as a token's is.
CREATE TABLE invites (
    id          text PRIMARY KEY CHECK (id ~ '^inv_[0-9a-f]{20}$'),
    account_id  text NOT NULL REFERENCES accounts,
    email       text NOT NULL CHECK (email = lower(email) AND char_length(email) BETWEEN 3 AND 254),
    role        text NOT NULL CHECK (role IN ('ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER')),
    invited_by  text NOT NULL REFERENCES users,
    created_at  timestamptz NOT NULL,
    sent_at     timestamptz NOT NULL, -- the last time
    expires_at  timestamptz NOT NULL,
    accepted_at timestamptz,
    accepted_by text REFERENCES users,
    revoked_at  timestamptz,
    CONSTRAINT invites_accepted CHECK ((accepted_at IS NULL) = (accepted_by IS NULL)),
    CONSTRAINT invites_one_end CHECK (accepted_at IS NULL OR revoked_at IS NULL)
);
CREATE UNIQUE INDEX invites_one_open ON invites (account_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- An account has one owner: members_one_owner forbids a second, this one none.
-- +goose StatementBegin
CREATE FUNCTION account_keeps_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM members WHERE account_id = OLD.account_id AND role = 'OWNER') THEN
        RAISE EXCEPTION 'account % would have no owner', OLD.account_id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'members_keep_owner';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER members_keep_owner AFTER UPDATE OR DELETE ON members
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.role = 'OWNER') EXECUTE FUNCTION account_keeps_owner();

-- +goose Down
DROP TRIGGER members_keep_owner ON members;
DROP FUNCTION account_keeps_owner;
DROP TABLE invites, tokens, recovery_codes;
ALTER TABLE sessions DROP COLUMN id, DROP COLUMN proven_at, DROP COLUMN second_factor, DROP COLUMN awaits_code;
ALTER TABLE users DROP COLUMN email_verified_at, DROP COLUMN totp_secret, DROP COLUMN totp_since, DROP COLUMN totp_step;
