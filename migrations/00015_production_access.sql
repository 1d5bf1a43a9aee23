-- +goose Up

-- What a merchant answered when it asked for production access. Each request is a
-- row, and its answers never change; the account's production_access follows the
-- newest one.
CREATE TABLE access_requests (
    id             text PRIMARY KEY CHECK (id ~ '^acr_[0-9a-f]{20}$'),
    account_id     text NOT NULL REFERENCES accounts,
    status         text NOT NULL DEFAULT 'PENDING_REVIEW'
        CHECK (status IN ('PENDING_REVIEW', 'WITHDRAWN', 'APPROVED', 'REJECTED', 'RETURNED', 'REVOKED')),
    version        integer NOT NULL DEFAULT 1, -- grows with every change of status
    legal_name     text NOT NULL CHECK (char_length(legal_name) BETWEEN 1 AND 200),
    document       text NOT NULL CHECK (document ~ '^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$'), -- CPF or CNPJ
    website        text CHECK (char_length(website) BETWEEN 1 AND 2048),
    sells          text CHECK (char_length(sells) BETWEEN 1 AND 1000),
    monthly_volume bigint NOT NULL CHECK (monthly_volume > 0), -- expected, in centavos
    contact_name   text NOT NULL CHECK (char_length(contact_name) BETWEEN 1 AND 200),
    contact_email  text NOT NULL CHECK (char_length(contact_email) BETWEEN 3 AND 254),
    contact_phone  bytea NOT NULL, -- sealed
    submitted_by   text NOT NULL REFERENCES users,
    submitted_at   timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    CONSTRAINT access_requests_sells CHECK (website IS NOT NULL OR sells IS NOT NULL)
);
CREATE UNIQUE INDEX access_requests_one_pending ON access_requests (account_id) WHERE status = 'PENDING_REVIEW';
CREATE INDEX access_requests_by_account ON access_requests (account_id, submitted_at DESC, id DESC);
CREATE INDEX access_requests_in_review ON access_requests (submitted_at, id) WHERE status = 'PENDING_REVIEW';
CREATE INDEX access_requests_by_page ON access_requests (updated_at DESC, id DESC) WHERE status <> 'PENDING_REVIEW';
CREATE INDEX access_requests_by_document ON access_requests (document);

-- +goose StatementBegin
CREATE FUNCTION access_requests_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (OLD.status, NEW.status) IN (('PENDING_REVIEW', 'WITHDRAWN'), ('PENDING_REVIEW', 'APPROVED'),
        ('PENDING_REVIEW', 'REJECTED'), ('PENDING_REVIEW', 'RETURNED'), ('APPROVED', 'REVOKED')) OR NEW.version <> OLD.version + 1 THEN
        RAISE EXCEPTION 'a request does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_transition';
    END IF;
    IF to_jsonb(NEW) - '{status,version,updated_at}'::text[] <> to_jsonb(OLD) - '{status,version,updated_at}'::text[] THEN
        RAISE EXCEPTION 'what was answered does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_pinned';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER access_requests_transition BEFORE UPDATE ON access_requests
    FOR EACH ROW EXECUTE FUNCTION access_requests_transition();

-- What staff decided about an account's production access, for ever.
CREATE TABLE access_decisions (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  text NOT NULL REFERENCES accounts,
    request_id  text REFERENCES access_requests, -- null: access was given without one
    outcome     text NOT NULL CHECK (outcome IN ('APPROVED', 'REJECTED', 'RETURNED', 'REVOKED')),
    reason_code text CHECK (reason_code ~ '^[A-Z_]{3,40}$'),
    reason      text CHECK (char_length(reason) BETWEEN 1 AND 1000), -- as the merchant reads it
    decided_by  text NOT NULL REFERENCES users,
    decided_at  timestamptz NOT NULL,
    CONSTRAINT access_decisions_reason CHECK (num_nulls(reason_code, reason) = CASE outcome WHEN 'APPROVED' THEN 2 ELSE 0 END)
);
CREATE INDEX access_decisions_by_account ON access_decisions (account_id, id DESC);
CREATE UNIQUE INDEX access_decisions_once ON access_decisions (request_id, (outcome = 'REVOKED'));
CREATE TRIGGER access_decisions_final BEFORE UPDATE OR DELETE OR TRUNCATE ON access_decisions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Why a switch of an account was turned on or off, by whom and when. The switches
-- themselves are columns of accounts.
CREATE TABLE switch_changes (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id text NOT NULL REFERENCES accounts,
    switch     text NOT NULL CHECK (switch IN ('SUSPENDED', 'LIVE_BLOCKED', 'WITHDRAWALS_BLOCKED')),
    turned_on  boolean NOT NULL,
    reason     text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 1000), -- as the merchant reads it
    changed_by text NOT NULL REFERENCES users,
    changed_at timestamptz NOT NULL
);
CREATE INDEX switch_changes_by_account ON switch_changes (account_id, switch, id DESC);
CREATE TRIGGER switch_changes_final BEFORE UPDATE OR DELETE OR TRUNCATE ON switch_changes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- +goose Down
DROP TABLE switch_changes, access_decisions, access_requests;
DROP FUNCTION access_requests_transition;
