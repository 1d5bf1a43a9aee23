-- +goose Up
-- compatible with 00069: older programs do not read the column, and let members in without a second factor

-- Whether all members of the account must have a second factor.
ALTER TABLE accounts ADD COLUMN second_factor_required boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE accounts DROP COLUMN second_factor_required;
