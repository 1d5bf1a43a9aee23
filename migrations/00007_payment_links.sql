-- +goose Up

-- An address that makes a checkout of a product each time it is used.
CREATE TABLE payment_links (
    id                 text PRIMARY KEY CHECK (id ~ '^plink_[0-9a-f]{16}$'),
    project_id         text NOT NULL REFERENCES projects,
    livemode           boolean NOT NULL,
    product_id         text NOT NULL REFERENCES products,
    expires_in_seconds integer NOT NULL CHECK (expires_in_seconds BETWEEN 900 AND 86400),
    success_url        text CHECK (char_length(success_url) BETWEEN 1 AND 2048),
    return_url         text CHECK (char_length(return_url) BETWEEN 1 AND 2048),
    active             boolean NOT NULL DEFAULT true,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL
);
CREATE INDEX payment_links_by_page ON payment_links (project_id, livemode, created_at DESC, id DESC);
CREATE INDEX payment_links_by_product ON payment_links (product_id);
CREATE INDEX products_by_page ON products (project_id, livemode, created_at DESC, id DESC);

ALTER TABLE checkouts ADD COLUMN payment_link_id text REFERENCES payment_links; -- null: made by the API
CREATE INDEX checkouts_by_payment_link ON checkouts (payment_link_id, created_at DESC) WHERE payment_link_id IS NOT NULL;

-- +goose Down
ALTER TABLE checkouts DROP COLUMN payment_link_id;
DROP INDEX products_by_page;
DROP TABLE payment_links;
