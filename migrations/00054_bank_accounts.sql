-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00053: new tables, which older programs do not use

-- The installation's accounts at banks that speak API Pix. One is active and takes new live
-- charges; retiring ones are still read.
CREATE TABLE IF NOT EXISTS bank_accounts (
    id text PRIMARY KEY CONSTRAINT bank_accounts_id CHECK (id ~ '^bnk_[0-9a-f]{20}$'),
    name text NOT NULL CONSTRAINT bank_accounts_name CHECK (char_length(name) BETWEEN 1 AND 80),
    profile text NOT NULL CONSTRAINT bank_accounts_profile CHECK (char_length(profile) BETWEEN 1 AND 40),
    overrides jsonb NOT NULL DEFAULT '{}' CONSTRAINT bank_accounts_overrides CHECK (jsonb_typeof(overrides) = 'object'),
    sandbox boolean NOT NULL,
    pix_key text NOT NULL CONSTRAINT bank_accounts_pix_key CHECK (char_length(pix_key) BETWEEN 1 AND 77),
    account_number text NOT NULL DEFAULT '' -- for banks whose calls name it
        CONSTRAINT bank_accounts_account_number CHECK (char_length(account_number) <= 40),
    holder_name text NOT NULL CONSTRAINT bank_accounts_holder_name CHECK (char_length(holder_name) BETWEEN 1 AND 200),
    holder_document text NOT NULL
        CONSTRAINT bank_accounts_holder_document CHECK (holder_document ~ '^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$'),
    status text NOT NULL DEFAULT 'DRAFT'
        CONSTRAINT bank_accounts_status CHECK (status IN ('DRAFT', 'ACTIVE', 'RETIRING', 'CLOSED')),
    version integer NOT NULL DEFAULT 1 CONSTRAINT bank_accounts_version CHECK (version > 0),
    created_by text CONSTRAINT bank_accounts_created_by_fkey REFERENCES users, -- null: made on the server
    created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS bank_accounts_one_active ON bank_accounts ((true)) WHERE status = 'ACTIVE';
CREATE UNIQUE INDEX IF NOT EXISTS bank_accounts_key_once ON bank_accounts (profile, sandbox, pix_key)
    WHERE status IN ('ACTIVE', 'RETIRING');
CREATE UNIQUE INDEX IF NOT EXISTS bank_accounts_draft_once ON bank_accounts (profile, sandbox, pix_key)
    WHERE status = 'DRAFT';
CREATE INDEX IF NOT EXISTS bank_accounts_created_by ON bank_accounts (created_by);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION bank_accounts_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.profile, NEW.sandbox, NEW.pix_key, NEW.holder_document, NEW.created_by, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.profile, OLD.sandbox, OLD.pix_key, OLD.holder_document, OLD.created_by, OLD.created_at)
        OR NEW.status <> OLD.status
        AND (OLD.status, NEW.status) NOT IN (('DRAFT', 'ACTIVE'), ('DRAFT', 'CLOSED'), ('ACTIVE', 'RETIRING'),
            ('RETIRING', 'ACTIVE'), ('RETIRING', 'CLOSED')) THEN
        RAISE EXCEPTION 'a bank account goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bank_accounts_transition';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER bank_accounts_transition BEFORE UPDATE ON bank_accounts
    FOR EACH ROW EXECUTE FUNCTION bank_accounts_transition();

-- What proves to the bank who calls. Sealed values end a day after their replacement.
CREATE TABLE IF NOT EXISTS bank_credentials (
    id text PRIMARY KEY CONSTRAINT bank_credentials_id CHECK (id ~ '^bcr_[0-9a-f]{20}$'),
    bank_account_id text NOT NULL CONSTRAINT bank_credentials_bank_account_id_fkey REFERENCES bank_accounts,
    client_id text NOT NULL CONSTRAINT bank_credentials_client_id CHECK (char_length(client_id) BETWEEN 1 AND 200),
    client_secret bytea, -- sealed
    app_key bytea, -- sealed; null where the bank has none
    certificate bytea, -- sealed: PEM, the leaf first
    private_key bytea, -- sealed: PEM
    subject text NOT NULL CONSTRAINT bank_credentials_subject CHECK (char_length(subject) BETWEEN 1 AND 200),
    fingerprint text NOT NULL CONSTRAINT bank_credentials_fingerprint CHECK (fingerprint ~ '^[0-9a-f]{64}$'),
    expires_at timestamptz NOT NULL,
    status text NOT NULL DEFAULT 'NEW'
        CONSTRAINT bank_credentials_status CHECK (status IN ('NEW', 'ACTIVE', 'RETIRED')),
    created_by text CONSTRAINT bank_credentials_created_by_fkey REFERENCES users, -- null: made on the server
    created_at timestamptz NOT NULL,
    approved_by text CONSTRAINT bank_credentials_approved_by_fkey REFERENCES users,
    approved_at timestamptz,
    retired_at timestamptz,
    CONSTRAINT bank_credentials_four_eyes CHECK (approved_by <> created_by AND (approved_by IS NULL) = (created_by IS NULL OR approved_at IS NULL)),
    CONSTRAINT bank_credentials_times CHECK ((retired_at IS NULL) = (status <> 'RETIRED') AND (status <> 'ACTIVE' OR approved_at IS NOT NULL)),
    CONSTRAINT bank_credentials_sealed CHECK (status = 'RETIRED' OR num_nulls(client_secret, certificate, private_key) = 0)
);
CREATE UNIQUE INDEX IF NOT EXISTS bank_credentials_one_active ON bank_credentials (bank_account_id) WHERE status = 'ACTIVE';
CREATE UNIQUE INDEX IF NOT EXISTS bank_credentials_one_new ON bank_credentials (bank_account_id) WHERE status = 'NEW';
CREATE INDEX IF NOT EXISTS bank_credentials_bank_account ON bank_credentials (bank_account_id, created_at);
CREATE INDEX IF NOT EXISTS bank_credentials_retired ON bank_credentials (retired_at) WHERE private_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS bank_credentials_created_by ON bank_credentials (created_by);
CREATE INDEX IF NOT EXISTS bank_credentials_approved_by ON bank_credentials (approved_by);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION bank_credentials_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.bank_account_id, NEW.client_id, NEW.subject, NEW.fingerprint, NEW.expires_at, NEW.created_by, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.bank_account_id, OLD.client_id, OLD.subject, OLD.fingerprint, OLD.expires_at, OLD.created_by, OLD.created_at)
        OR NEW.status <> OLD.status
        AND (OLD.status, NEW.status) NOT IN (('NEW', 'ACTIVE'), ('NEW', 'RETIRED'), ('ACTIVE', 'RETIRED'))
        OR OLD.approved_at IS NOT NULL
        AND (NEW.approved_by, NEW.approved_at) IS DISTINCT FROM (OLD.approved_by, OLD.approved_at) THEN
        RAISE EXCEPTION 'credentials go from % to % or become others', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bank_credentials_transition';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER bank_credentials_transition BEFORE UPDATE ON bank_credentials
    FOR EACH ROW EXECUTE FUNCTION bank_credentials_transition();

-- +goose Down
DROP TABLE bank_credentials;
DROP TABLE bank_accounts;
DROP FUNCTION bank_credentials_transition;
DROP FUNCTION bank_accounts_transition;
