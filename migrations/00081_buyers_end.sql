-- +goose Up
-- compatible with 00069: older programs do not use the tables

-- The time of creation up to which charges were examined for the end of their buyers' data, and those among
-- them whose buyers were still needed then.
CREATE TABLE buyers_ended (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    through timestamptz NOT NULL
);
CREATE TABLE buyers_kept (checkout_id text PRIMARY KEY REFERENCES checkouts (id));

-- +goose Down
DROP TABLE buyers_kept;
DROP TABLE buyers_ended;
