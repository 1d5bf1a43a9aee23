-- +goose Up
-- compatible with 00094: a text beside an index

COMMENT ON INDEX checkouts_unsettled IS 'days on which money becomes available; an entry goes with the settlement';

-- +goose Down
COMMENT ON INDEX checkouts_unsettled IS NULL;
