-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: one more index

DROP INDEX CONCURRENTLY IF EXISTS checkouts_unsettled;
CREATE INDEX CONCURRENTLY checkouts_unsettled ON checkouts (project_id, livemode, paid_at)
    WHERE status = 'PAID' AND settlement_status = 'PENDING';

-- +goose Down
DROP INDEX checkouts_unsettled;
