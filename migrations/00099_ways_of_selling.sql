-- +goose Up
-- compatible with 00094: older programs do not read the columns, and show all members the steps of the API

-- How a member said that they sell, which decides the first steps on the start page. Both may be true; neither means
-- that the member was not asked yet.
ALTER TABLE members ADD COLUMN sells_by_link boolean NOT NULL DEFAULT false,
    ADD COLUMN sells_by_api boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE members DROP COLUMN sells_by_link, DROP COLUMN sells_by_api;
