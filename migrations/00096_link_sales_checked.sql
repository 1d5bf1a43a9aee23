-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: constraints that all rows of older programs satisfy, and an index

ALTER TABLE payment_links VALIDATE CONSTRAINT payment_links_buyer_data;
ALTER TABLE payment_links VALIDATE CONSTRAINT payment_links_max_quantity;
ALTER TABLE payment_links VALIDATE CONSTRAINT payment_links_open_amount;
ALTER TABLE payment_links VALIDATE CONSTRAINT payment_links_stock;
ALTER TABLE products VALIDATE CONSTRAINT products_archived_is_off;
ALTER TABLE checkouts VALIDATE CONSTRAINT checkouts_units;

-- What a link's stock has sold and holds.
DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_units;
CREATE INDEX CONCURRENTLY checkouts_by_units ON checkouts (payment_link_id, status) INCLUDE (units)
    WHERE units IS NOT NULL;

-- +goose Down
DROP INDEX checkouts_by_units;
