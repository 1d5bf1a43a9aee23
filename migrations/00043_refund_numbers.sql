-- +goose Up

-- The refunds of a payment are numbered, so that a decision is recorded once: who saw n
-- of them makes number n + 1. Rows from before have no number, and programs from before
-- write none; they count nevertheless.

-- locks: staff record refunds by hand, so that the table is short
ALTER TABLE refunds ADD COLUMN number integer CHECK (number > 0);
-- locks: the same
CREATE UNIQUE INDEX refunds_number_unique ON refunds (payment_id, number);

-- +goose Down
ALTER TABLE refunds DROP COLUMN number;
