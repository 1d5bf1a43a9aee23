-- +goose Up

-- A delivery is updated once or twice. With room for that on its page, no index is
-- written then.
ALTER TABLE webhook_deliveries SET (fillfactor = 45);

-- +goose Down
ALTER TABLE webhook_deliveries SET (fillfactor = 80);
