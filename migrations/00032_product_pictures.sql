-- +goose Up

-- The picture of a product, that we drew ourselves from the one uploaded: large for the
-- API and for previews, small for pages. Its address is its hash. What members typed
-- before they could upload, an address elsewhere, stays until one is uploaded.
ALTER TABLE products
    ADD COLUMN picture_large  bytea CHECK (octet_length(picture_large) BETWEEN 1 AND 98304), -- JPEG
    ADD COLUMN picture_small  bytea CHECK (octet_length(picture_small) BETWEEN 1 AND 12288), -- JPEG; what a first visit has room for
    ADD COLUMN picture_hash   text CHECK (picture_hash ~ '^[0-9a-f]{32}$'),
    ADD COLUMN picture_width  integer CHECK (picture_width BETWEEN 1 AND 1200), -- of the large one
    ADD COLUMN picture_height integer CHECK (picture_height BETWEEN 1 AND 1200),
    ADD CONSTRAINT products_picture_whole CHECK (num_nulls(picture_large, picture_small, picture_hash, picture_width, picture_height) IN (0, 5)),
    ADD CONSTRAINT products_one_image CHECK (image_url IS NULL OR picture_hash IS NULL);
CREATE INDEX products_by_picture ON products (picture_hash) WHERE picture_hash IS NOT NULL;

-- +goose Down
ALTER TABLE products DROP COLUMN picture_height, DROP COLUMN picture_width, DROP COLUMN picture_hash, DROP COLUMN picture_small, DROP COLUMN picture_large;
