-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: ids of calls are far below it, and older programs write none themselves

-- So that what is there can become one of the tables of 00137 without being read.
ALTER TABLE api_requests
    DROP CONSTRAINT IF EXISTS api_requests_before,
    ADD CONSTRAINT api_requests_before CHECK (id < 1000000000000000) NOT VALID;
ALTER TABLE api_requests VALIDATE CONSTRAINT api_requests_before;

-- +goose Down
ALTER TABLE api_requests DROP CONSTRAINT api_requests_before;
