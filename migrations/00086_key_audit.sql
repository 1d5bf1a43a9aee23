-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00069: older programs do not name the column; a key that they replace loses the switch

-- Whether the key may read the account's audit log, which a person has turned on. Lines of the log belong to no
-- environment, so a test key must not read them.
ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS audit boolean NOT NULL DEFAULT false;
ALTER TABLE api_keys DROP CONSTRAINT IF EXISTS api_keys_audit,
    ADD CONSTRAINT api_keys_audit CHECK (livemode OR NOT audit) NOT VALID;
ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_audit;

-- +goose Down
ALTER TABLE api_keys DROP COLUMN audit;
