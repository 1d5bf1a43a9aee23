-- +goose Up

-- A merchant. Switches and production access decide what its live keys may do.
CREATE TABLE accounts (
    id                  text PRIMARY KEY CHECK (id ~ '^acc_[0-9a-f]{20}$'),
    name                text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    document            text CHECK (document ~ '^[0-9A-Z]{11,14}$'), -- CPF or CNPJ, no punctuation
    city                text NOT NULL DEFAULT 'SAO PAULO' CHECK (char_length(city) BETWEEN 1 AND 60),
    production_access   text NOT NULL DEFAULT 'NOT_REQUESTED'
        CHECK (production_access IN ('NOT_REQUESTED', 'PENDING_REVIEW', 'APPROVED', 'REJECTED')),
    suspended           boolean NOT NULL DEFAULT false,
    live_blocked        boolean NOT NULL DEFAULT false,
    withdrawals_blocked boolean NOT NULL DEFAULT false,
    fee_basis_points    integer NOT NULL DEFAULT 99 CHECK (fee_basis_points BETWEEN 0 AND 10000),
    fee_fixed           bigint NOT NULL DEFAULT 0 CHECK (fee_fixed >= 0),
    min_amount          bigint NOT NULL DEFAULT 1 CHECK (min_amount >= 1),
    max_amount          bigint NOT NULL DEFAULT 100000000 CHECK (max_amount BETWEEN min_amount AND 999999999999),
    created_at          timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE projects (
    id         text PRIMARY KEY CHECK (id ~ '^prj_[0-9a-f]{20}$'),
    account_id text NOT NULL REFERENCES accounts,
    name       text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX projects_by_account ON projects (account_id, created_at);

CREATE TABLE users (
    id            text PRIMARY KEY CHECK (id ~ '^usr_[0-9a-f]{20}$'),
    email         text NOT NULL CHECK (email = lower(email) AND char_length(email) BETWEEN 3 AND 254),
    name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    password_hash text NOT NULL, -- argon2id, PHC string
    staff_role    text CHECK (staff_role IN ('REVIEWER', 'SUPERVISOR')), -- null: not staff
    created_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_email_unique UNIQUE (email)
);

CREATE TABLE members (
    account_id text NOT NULL REFERENCES accounts,
    user_id    text NOT NULL REFERENCES users,
    role       text NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, user_id)
);
CREATE UNIQUE INDEX members_one_owner ON members (account_id) WHERE role = 'OWNER';
CREATE INDEX members_by_user ON members (user_id);

-- A browser that logged in. The cookie holds the token, this row its SHA-256.
CREATE TABLE sessions (
    token_hash   bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    user_id      text NOT NULL REFERENCES users,
    project_id   text REFERENCES projects, -- the project being looked at
    livemode     boolean NOT NULL DEFAULT false, -- and its environment
    ip           text NOT NULL,
    user_agent   text NOT NULL,
    created_at   timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- The secret itself is shown once and never stored.
CREATE TABLE api_keys (
    id           text PRIMARY KEY CHECK (id ~ '^key_[0-9a-f]{20}$'),
    project_id   text NOT NULL REFERENCES projects,
    livemode     boolean NOT NULL,
    name         text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    secret_hash  bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    last4        text NOT NULL CHECK (char_length(last4) = 4),
    permissions  text[] NOT NULL CHECK (permissions <@ ARRAY['CHECKOUT:CREATE', 'CHECKOUT:READ', 'BALANCE:READ',
        'WITHDRAWAL:CREATE', 'WITHDRAWAL:READ', 'PAYMENT_LINK:CREATE', 'PAYMENT_LINK:READ']),
    created_by   text REFERENCES users,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at   timestamptz,
    CONSTRAINT api_keys_secret_unique UNIQUE (secret_hash)
);
CREATE INDEX api_keys_by_project ON api_keys (project_id, livemode, created_at DESC);

-- Who changed what, for ever.
CREATE TABLE audit_log (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL,
    actor      text NOT NULL, -- a user's id, or 'system'
    account_id text REFERENCES accounts,
    action     text NOT NULL, -- 'api_key.created'
    object_id  text NOT NULL,
    detail     jsonb NOT NULL DEFAULT '{}', -- never a secret
    ip         text NOT NULL DEFAULT ''
);
CREATE INDEX audit_log_by_account ON audit_log (account_id, id DESC);

-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_log_final BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- +goose Down
DROP TABLE audit_log, api_keys, sessions, members, users, projects, accounts;
DROP FUNCTION refuse_change;
