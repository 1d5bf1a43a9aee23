-- +goose Up
-- compatible with 00094: older programs name neither column; what they leave uncounted is counted by the mark below

-- How many of the charges created within the hour are paid by now.
ALTER TABLE checkout_hours ADD COLUMN converted integer NOT NULL DEFAULT 0;

-- Every payment that was recorded before this moment is in converted.
ALTER TABLE checkout_hours_until ADD COLUMN converted timestamptz NOT NULL DEFAULT '2020-01-01T00:00:00Z';

-- +goose Down
ALTER TABLE checkout_hours_until DROP COLUMN converted;
ALTER TABLE checkout_hours DROP COLUMN converted;
