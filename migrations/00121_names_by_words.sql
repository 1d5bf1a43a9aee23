-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: older programs find the beginnings of names more slowly

-- Names are found by their words (00120).
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_customer_name;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_customer_name;
CREATE INDEX CONCURRENTLY checkouts_by_customer_name
    ON checkouts (project_id, livemode, (lower(customer_name) COLLATE "C")) WHERE customer_name IS NOT NULL;
