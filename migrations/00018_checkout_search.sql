-- +goose Up

-- What members look for charges by, besides ids and the merchant's own reference.
-- A prefix is a range in the order of bytes.
CREATE INDEX checkouts_by_amount ON checkouts (project_id, livemode, amount, created_at DESC, id DESC);
CREATE INDEX checkouts_by_customer_email ON checkouts (project_id, livemode, (lower(customer_email) COLLATE "C"))
    WHERE customer_email IS NOT NULL;
CREATE INDEX checkouts_by_customer_name ON checkouts (project_id, livemode, (lower(customer_name) COLLATE "C"))
    WHERE customer_name IS NOT NULL;

-- When a charge expired or was cancelled; a payment that was sent in time reopens it.
ALTER TABLE checkouts
    ADD COLUMN closed_at timestamptz,
    ADD CONSTRAINT checkouts_closed_at CHECK (closed_at IS NULL OR status IN ('EXPIRED', 'CANCELLED'));

-- +goose Down
ALTER TABLE checkouts DROP COLUMN closed_at;
DROP INDEX checkouts_by_customer_name, checkouts_by_customer_email, checkouts_by_amount;
