-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00054: new tables, and columns that older programs leave null

-- The secret in the address to which a bank posts notices, and its SHA-256. Null: none is made yet.
ALTER TABLE bank_accounts ADD COLUMN IF NOT EXISTS notice_token bytea, ADD COLUMN IF NOT EXISTS notice_digest bytea;
ALTER TABLE bank_accounts DROP CONSTRAINT IF EXISTS bank_accounts_notice_token,
    ADD CONSTRAINT bank_accounts_notice_token CHECK ((notice_token IS NULL) = (notice_digest IS NULL)
        AND (notice_digest IS NULL OR octet_length(notice_digest) = 32)) NOT VALID;
ALTER TABLE bank_accounts VALIDATE CONSTRAINT bank_accounts_notice_token;
DROP INDEX CONCURRENTLY IF EXISTS bank_accounts_notice_digest;
CREATE UNIQUE INDEX CONCURRENTLY bank_accounts_notice_digest ON bank_accounts (notice_digest);

-- Where a bank was told to post notices. The token is not part of the address here.
CREATE TABLE IF NOT EXISTS bank_registrations (
    bank_account_id text PRIMARY KEY CONSTRAINT bank_registrations_bank_account_id_fkey REFERENCES bank_accounts,
    address text NOT NULL DEFAULT '' CONSTRAINT bank_registrations_address CHECK (char_length(address) <= 200), -- '': nowhere yet
    registered_at timestamptz, -- with this address
    confirmed_at timestamptz, -- when the bank was told last
    tries integer NOT NULL DEFAULT 0 CONSTRAINT bank_registrations_tries CHECK (tries >= 0),
    next_try_at timestamptz NOT NULL,
    failure text NOT NULL DEFAULT '' CONSTRAINT bank_registrations_failure CHECK (char_length(failure) <= 200),
    CONSTRAINT bank_registrations_times CHECK (num_nulls(registered_at, confirmed_at) IN (0, 2)
        AND (address = '') = (registered_at IS NULL))
);

-- Notices of banks: only the ids of what to read, never their bodies.
CREATE TABLE IF NOT EXISTS bank_notices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bank_account_id text NOT NULL CONSTRAINT bank_notices_bank_account_id_fkey REFERENCES bank_accounts,
    received_at timestamptz NOT NULL,
    digest bytea NOT NULL CONSTRAINT bank_notices_digest CHECK (octet_length(digest) = 32), -- SHA-256 of the body
    hints jsonb NOT NULL CONSTRAINT bank_notices_hints CHECK (jsonb_typeof(hints) = 'array'),
    tries integer NOT NULL DEFAULT 0 CONSTRAINT bank_notices_tries CHECK (tries >= 0),
    next_try_at timestamptz, -- null: done
    done_at timestamptz,
    outcome text CONSTRAINT bank_notices_outcome
        CHECK (outcome IN ('RECORDED', 'READ', 'REPEATED', 'SWEPT', 'FOREIGN', 'UNKNOWN', 'EMPTY', 'GIVEN_UP')),
    CONSTRAINT bank_notices_done CHECK (num_nulls(next_try_at, done_at) = 1 AND (done_at IS NULL) = (outcome IS NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS bank_notices_waiting_once ON bank_notices (bank_account_id, digest) WHERE done_at IS NULL;
CREATE INDEX IF NOT EXISTS bank_notices_due ON bank_notices (next_try_at) WHERE done_at IS NULL;
CREATE INDEX IF NOT EXISTS bank_notices_received ON bank_notices (bank_account_id, received_at);
CREATE INDEX IF NOT EXISTS bank_notices_by_age ON bank_notices (received_at);

-- How many requests to the address for notices became no new notice, by hour.
CREATE TABLE IF NOT EXISTS bank_notice_counts (
    bank_account_id text NOT NULL, -- '': the token belongs to no account
    hour timestamptz NOT NULL,
    what text NOT NULL CONSTRAINT bank_notice_counts_what
        CHECK (what IN ('UNKNOWN_TOKEN', 'UNPROVEN', 'GARBAGE', 'TOO_LARGE', 'TOO_MANY', 'REPEATED')),
    n bigint NOT NULL CONSTRAINT bank_notice_counts_n CHECK (n > 0),
    PRIMARY KEY (bank_account_id, hour, what)
);

-- How often a sweep was asked for since the last one began.
ALTER TABLE bank_sweeps ADD COLUMN IF NOT EXISTS hurries integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE bank_sweeps DROP COLUMN hurries;
DROP TABLE bank_notice_counts;
DROP TABLE bank_notices;
DROP TABLE bank_registrations;
ALTER TABLE bank_accounts DROP COLUMN notice_token, DROP COLUMN notice_digest;
