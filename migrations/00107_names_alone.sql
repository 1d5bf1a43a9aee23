-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: an index

-- The charges of a customer who is known by nothing but a name (docs/decisions/0072). Others are not in it.
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_name_alone;
CREATE INDEX CONCURRENTLY checkouts_by_name_alone
    ON checkouts (project_id, livemode, (lower(customer_name) COLLATE "C"))
    WHERE customer_name IS NOT NULL AND customer_email IS NULL AND customer_document IS NULL
        AND document_digest IS NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_name_alone;
