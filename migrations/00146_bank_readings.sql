-- +goose Up
-- compatible with 00094: a program of before leaves the columns as they are, and the next reading goes back further

-- Disputes opened until then, by the bank's clock, are known. NULL until a list of them was read to its end.
ALTER TABLE bank_sweeps ADD COLUMN disputes_known_until timestamptz;

-- +goose Down
ALTER TABLE bank_sweeps DROP COLUMN disputes_known_until;
