-- +goose Up

-- What a call of the API made or was about: the page of a charge leads to the call
-- that made it.
ALTER TABLE api_requests ADD COLUMN object_id text NOT NULL DEFAULT '';
CREATE INDEX api_requests_by_object ON api_requests (object_id, id DESC) WHERE object_id <> '';

-- Where a key was last used from, with last_used_at.
ALTER TABLE api_keys ADD COLUMN last_used_ip text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE api_keys DROP COLUMN last_used_ip;
DROP INDEX api_requests_by_object;
ALTER TABLE api_requests DROP COLUMN object_id;
