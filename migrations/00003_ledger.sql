-- +goose Up

-- Every movement of money, append-only. A row takes from one book and gives the
-- same amount to another, so that any set of rows sums to zero by its form. A
-- fact ("payment/pay_…") is posted once: its lines are unique.
CREATE TABLE ledger_transfers (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    fact        text NOT NULL,
    line        smallint NOT NULL,
    from_book   text NOT NULL,
    to_book     text NOT NULL,
    amount      bigint NOT NULL CHECK (amount > 0),
    recorded_at timestamptz NOT NULL,
    CONSTRAINT ledger_fact_once UNIQUE (fact, line),
    CONSTRAINT ledger_two_books CHECK (from_book <> to_book),
    -- Books are named owner/environment/book; money never crosses environments.
    CONSTRAINT ledger_books CHECK (
        from_book ~ '^(platform/(test|live)/(clearing|fees|suspense)|acc_[0-9a-f]{20}/(test|live)/(pending|available|reserved|blocked))$'
        AND to_book ~ '^(platform/(test|live)/(clearing|fees|suspense)|acc_[0-9a-f]{20}/(test|live)/(pending|available|reserved|blocked))$'),
    CONSTRAINT ledger_one_environment CHECK (split_part(from_book, '/', 2) = split_part(to_book, '/', 2))
);
CREATE INDEX ledger_transfers_out ON ledger_transfers (from_book, id) INCLUDE (amount);
CREATE INDEX ledger_transfers_in ON ledger_transfers (to_book, id) INCLUDE (amount);
CREATE TRIGGER ledger_transfers_final BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- +goose Down
DROP TABLE ledger_transfers;
