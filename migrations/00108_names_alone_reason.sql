-- +goose Up
-- compatible with 00094: a text beside an index

COMMENT ON INDEX checkouts_by_name_alone IS 'the charges of a customer known by the name; not of charges with more';

-- +goose Down
COMMENT ON INDEX checkouts_by_name_alone IS NULL;
