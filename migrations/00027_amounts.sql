-- +goose Up

-- An amount is looked for along the list's own index. One by amount was written at
-- each creation, payment and settlement, for a search that is made now and then.
DROP INDEX checkouts_by_amount;
DROP INDEX checkouts_by_page;
CREATE INDEX checkouts_by_page ON checkouts (project_id, livemode, created_at DESC, id DESC) INCLUDE (amount);

-- +goose Down
DROP INDEX checkouts_by_page;
CREATE INDEX checkouts_by_page ON checkouts (project_id, livemode, created_at DESC, id DESC);
CREATE INDEX checkouts_by_amount ON checkouts (project_id, livemode, amount, created_at DESC, id DESC);
