-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: the same indexes, read the other way

-- Rows come in the order of their creation. An index that descends gets each new entry before all others, and splits
-- its pages in halves that stay half full; one that ascends fills them, and lists read it backwards. The names stay.
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_page_up;
CREATE INDEX CONCURRENTLY checkouts_by_page_up ON checkouts (project_id, livemode, created_at, id) INCLUDE (amount);
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_page;
ALTER INDEX IF EXISTS checkouts_by_page_up RENAME TO checkouts_by_page;
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_status_up;
CREATE INDEX CONCURRENTLY checkouts_by_status_up ON checkouts (project_id, livemode, status, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_status;
ALTER INDEX IF EXISTS checkouts_by_status_up RENAME TO checkouts_by_status;
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_external_id_up;
CREATE INDEX CONCURRENTLY checkouts_by_external_id_up ON checkouts
    (project_id, livemode, external_id, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_external_id;
ALTER INDEX IF EXISTS checkouts_by_external_id_up RENAME TO checkouts_by_external_id;

-- +goose Down
-- +goose StatementBegin
DO $$ BEGIN
    DROP INDEX checkouts_by_page, checkouts_by_status, checkouts_by_external_id;
    CREATE INDEX checkouts_by_page ON checkouts (project_id, livemode, created_at DESC, id DESC) INCLUDE (amount);
    CREATE INDEX checkouts_by_status ON checkouts (project_id, livemode, status, created_at DESC, id DESC);
    CREATE INDEX checkouts_by_external_id ON checkouts (project_id, livemode, external_id, created_at DESC, id DESC);
END $$;
-- +goose StatementEnd
