-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00062: a unique index that allows as much as the one it replaces

-- A checkout has one charge at a time that may be paid. The index is on an expression, not partial: a kept
-- plan read all of the partial one to find charges by their txid.
DROP INDEX CONCURRENTLY IF EXISTS bank_charges_open_once;
CREATE UNIQUE INDEX CONCURRENTLY bank_charges_open_once ON bank_charges
    ((CASE WHEN status IN ('CREATING', 'OPEN', 'REMOVING', 'CONFLICT') THEN checkout_id END));
DROP INDEX CONCURRENTLY IF EXISTS bank_charges_one_open;

-- +goose Down
CREATE UNIQUE INDEX bank_charges_one_open ON bank_charges (checkout_id)
    WHERE status IN ('CREATING', 'OPEN', 'REMOVING', 'CONFLICT');
DROP INDEX bank_charges_open_once;
