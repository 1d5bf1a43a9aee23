-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: constraints that all rows of older programs satisfy

ALTER TABLE brands VALIDATE CONSTRAINT brands_thanks;
ALTER TABLE brands VALIDATE CONSTRAINT brands_thanks_button;

-- +goose Down
SELECT 1;
