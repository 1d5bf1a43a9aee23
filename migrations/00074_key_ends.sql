-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00062: older programs do not name the columns; until they are gone, they go on to accept a key
-- after its end and from every network

-- When the key ends, null: never; and the networks from which it may be used, empty: all.
ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS ends_at timestamptz,
    ADD COLUMN IF NOT EXISTS networks cidr[] NOT NULL DEFAULT '{}';
ALTER TABLE api_keys DROP CONSTRAINT IF EXISTS api_keys_networks,
    ADD CONSTRAINT api_keys_networks CHECK (cardinality(networks) <= 20) NOT VALID;
ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_networks;

-- For the mails about keys that end soon.
DROP INDEX CONCURRENTLY IF EXISTS api_keys_ends_at;
CREATE INDEX CONCURRENTLY api_keys_ends_at ON api_keys (ends_at) WHERE ends_at IS NOT NULL AND revoked_at IS NULL;

-- +goose Down
ALTER TABLE api_keys DROP COLUMN networks, DROP COLUMN ends_at;
