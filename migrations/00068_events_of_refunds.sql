-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00062: an index changes no rows

-- With events_one_each_checkout it finds all events of a checkout. Only refunds write into it.
DROP INDEX CONCURRENTLY IF EXISTS events_refunds_by_checkout;
CREATE INDEX CONCURRENTLY events_refunds_by_checkout ON events (checkout_id) WHERE refund_id IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS events_refunds_by_checkout;
