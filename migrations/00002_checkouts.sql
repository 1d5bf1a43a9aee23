-- +goose Up

CREATE TABLE checkouts (
    id                text PRIMARY KEY CHECK (id ~ '^chk_[0-9a-f]{20}$'),
    project_id        text NOT NULL REFERENCES projects,
    livemode          boolean NOT NULL,
    status            text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'PAID', 'EXPIRED', 'CANCELLED')),
    amount            bigint NOT NULL CHECK (amount BETWEEN 1 AND 999999999999),
    description       text NOT NULL CHECK (char_length(description) BETWEEN 1 AND 500),
    external_id       text NOT NULL CHECK (char_length(external_id) BETWEEN 1 AND 255),
    customer_name     text,
    customer_email    text,
    customer_document text,
    customer_phone    bytea, -- sealed; never leaves the gateway
    metadata          jsonb NOT NULL DEFAULT '{}',
    txid              text NOT NULL CHECK (txid ~ '^[a-zA-Z0-9]{26,35}$'),
    copy_paste        text NOT NULL CHECK (copy_paste <> ''),
    qr_png            bytea, -- the image that test answers embed
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL CHECK (expires_at > created_at),
    paid_at           timestamptz,
    settlement_status text NOT NULL DEFAULT 'PENDING' CHECK (settlement_status IN ('PENDING', 'AVAILABLE', 'COMPLETED')),
    settlement_amount bigint,
    CONSTRAINT checkouts_paid_at CHECK ((status = 'PAID') = (paid_at IS NOT NULL)),
    CONSTRAINT checkouts_settlement CHECK ((settlement_status = 'PENDING') = (settlement_amount IS NULL)),
    CONSTRAINT checkouts_settled_is_paid CHECK (settlement_status = 'PENDING' OR status = 'PAID'),
    CONSTRAINT checkouts_txid_unique UNIQUE (txid)
);
CREATE INDEX checkouts_by_page ON checkouts (project_id, livemode, created_at DESC, id DESC);
CREATE INDEX checkouts_by_status ON checkouts (project_id, livemode, status, created_at DESC, id DESC);
CREATE INDEX checkouts_by_external_id ON checkouts (project_id, livemode, external_id, created_at DESC, id DESC);
CREATE INDEX checkouts_by_expiry ON checkouts (expires_at) WHERE status = 'PENDING';
CREATE INDEX checkouts_self_paying ON checkouts (created_at) WHERE status = 'PENDING' AND NOT livemode AND amount % 100 = 7;
CREATE INDEX checkouts_by_payment ON checkouts (livemode, paid_at) WHERE status = 'PAID' AND settlement_status = 'PENDING';

-- What a client's Idempotency-Key made. Rows are kept for as long as the resource.
-- resource_id may name a checkout that the institution has not issued yet.
CREATE TABLE idempotency_keys (
    owner_id     text NOT NULL, -- the project, or the account for withdrawals
    livemode     boolean NOT NULL,
    operation    text NOT NULL,
    key          text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
    request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
    resource_id  text NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (owner_id, livemode, operation, key)
);

-- A Pix that arrived. The institution's endToEndId tells repetitions apart.
CREATE TABLE payments (
    id            text PRIMARY KEY CHECK (id ~ '^pay_[0-9a-f]{20}$'),
    livemode      boolean NOT NULL,
    end_to_end_id text NOT NULL CHECK (char_length(end_to_end_id) BETWEEN 1 AND 64),
    txid          text NOT NULL,
    checkout_id   text REFERENCES checkouts, -- null: no checkout has this txid
    settles       boolean NOT NULL, -- whether it made the checkout PAID
    amount        bigint NOT NULL CHECK (amount > 0),
    fee           bigint NOT NULL CHECK (fee BETWEEN 0 AND amount),
    paid_at       timestamptz NOT NULL, -- the institution's time
    recorded_at   timestamptz NOT NULL,
    CONSTRAINT payments_end_to_end_id_unique UNIQUE (livemode, end_to_end_id),
    CONSTRAINT payments_settles_a_checkout CHECK (NOT settles OR checkout_id IS NOT NULL)
);
CREATE UNIQUE INDEX payments_one_settles ON payments (checkout_id) WHERE settles;
CREATE INDEX payments_by_checkout ON payments (checkout_id);

-- Money that arrived and changed no checkout, for ops to decide on.
CREATE TABLE payment_exceptions (
    payment_id text PRIMARY KEY REFERENCES payments,
    kind       text NOT NULL CHECK (kind IN ('LATE', 'UNDERPAID', 'OVERPAID', 'DUPLICATE', 'UNMATCHED')),
    created_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE payment_exceptions, payments, idempotency_keys, checkouts;
