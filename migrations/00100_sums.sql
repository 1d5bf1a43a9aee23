-- +goose Up
-- compatible with 00094: older programs name none of the columns; the marks below know which hours have sums

-- The amounts of the charges created within the hour, and of those of them that are paid by now.
ALTER TABLE checkout_hours
    ADD COLUMN created_volume bigint NOT NULL DEFAULT 0,
    ADD COLUMN converted_volume bigint NOT NULL DEFAULT 0;

-- The hours from summed_from to summed_until have these amounts. NULL: no hour has them yet.
ALTER TABLE checkout_hours_until
    ADD COLUMN summed_from timestamptz,
    ADD COLUMN summed_until timestamptz;

-- +goose Down
ALTER TABLE checkout_hours_until DROP COLUMN summed_until, DROP COLUMN summed_from;
ALTER TABLE checkout_hours DROP COLUMN converted_volume, DROP COLUMN created_volume;
