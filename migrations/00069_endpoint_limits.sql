-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00062: older programs do not name the column, and keep to their own limit

-- How many webhook endpoints a project of the account may have in an environment; null: as many as usual.
ALTER TABLE account_limits ADD COLUMN IF NOT EXISTS webhook_endpoints integer;
ALTER TABLE account_limits DROP CONSTRAINT IF EXISTS account_limits_webhook_endpoints,
    ADD CONSTRAINT account_limits_webhook_endpoints CHECK (webhook_endpoints BETWEEN 1 AND 64) NOT VALID;
ALTER TABLE account_limits VALIDATE CONSTRAINT account_limits_webhook_endpoints;

-- +goose Down
ALTER TABLE account_limits DROP COLUMN webhook_endpoints;
