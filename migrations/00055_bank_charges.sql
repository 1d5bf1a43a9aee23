-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00054: new tables, and a column that older programs leave null

-- The charges at banks. A row is written before the bank is asked, so that none is forgotten.
CREATE TABLE IF NOT EXISTS bank_charges (
    txid text PRIMARY KEY CONSTRAINT bank_charges_txid CHECK (txid ~ '^[0-9A-Za-z]{26,35}$'),
    bank_account_id text NOT NULL CONSTRAINT bank_charges_bank_account_id_fkey REFERENCES bank_accounts,
    project_id text NOT NULL CONSTRAINT bank_charges_project_id_fkey REFERENCES projects,
    checkout_id text NOT NULL -- the checkout is written after the bank has answered
        CONSTRAINT bank_charges_checkout_id CHECK (checkout_id ~ '^chk_[0-9a-f]{20}$'),
    generation integer NOT NULL CONSTRAINT bank_charges_generation CHECK (generation >= 0),
    amount bigint NOT NULL CONSTRAINT bank_charges_amount CHECK (amount > 0),
    expiration integer NOT NULL CONSTRAINT bank_charges_expiration CHECK (expiration > 0), -- seconds
    status text NOT NULL DEFAULT 'CREATING' CONSTRAINT bank_charges_status
        CHECK (status IN ('CREATING', 'OPEN', 'PAID', 'REMOVING', 'REMOVED', 'LAPSED', 'REFUSED', 'CONFLICT')),
    bank_created_at timestamptz, -- by the bank's clock, as payable_until
    payable_until timestamptz,
    revision integer NOT NULL DEFAULT 0,
    checks integer NOT NULL DEFAULT 0,
    next_check_at timestamptz, -- null: the charge needs no look
    failure text NOT NULL DEFAULT '' CONSTRAINT bank_charges_failure CHECK (char_length(failure) <= 200),
    created_at timestamptz NOT NULL,
    CONSTRAINT bank_charges_times CHECK (status <> 'OPEN' OR num_nulls(bank_created_at, payable_until) = 0),
    CONSTRAINT bank_charges_looked_at CHECK (status IN ('CREATING', 'OPEN', 'REMOVING') = (next_check_at IS NOT NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS bank_charges_generation_once ON bank_charges (checkout_id, generation);
CREATE UNIQUE INDEX IF NOT EXISTS bank_charges_one_open ON bank_charges (checkout_id)
    WHERE status IN ('CREATING', 'OPEN', 'REMOVING', 'CONFLICT');
CREATE INDEX IF NOT EXISTS bank_charges_due ON bank_charges (bank_account_id, next_check_at)
    WHERE next_check_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS bank_charges_project ON bank_charges (project_id);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION bank_charges_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.txid, NEW.bank_account_id, NEW.project_id, NEW.checkout_id, NEW.generation, NEW.amount, NEW.expiration, NEW.created_at)
        IS DISTINCT FROM (OLD.txid, OLD.bank_account_id, OLD.project_id, OLD.checkout_id, OLD.generation, OLD.amount, OLD.expiration, OLD.created_at)
        OR NEW.status <> OLD.status
        AND (OLD.status, NEW.status) NOT IN (
            ('CREATING', 'OPEN'), ('CREATING', 'REMOVING'), ('CREATING', 'CONFLICT'),
            ('OPEN', 'PAID'), ('OPEN', 'REMOVING'), ('OPEN', 'REMOVED'), ('OPEN', 'LAPSED'),
            ('REMOVING', 'REMOVED'), ('REMOVING', 'REFUSED'), ('REMOVING', 'PAID'), ('REMOVING', 'LAPSED'),
            ('LAPSED', 'REMOVED'), ('LAPSED', 'PAID'), ('REMOVED', 'PAID'), ('REFUSED', 'PAID')) THEN
        RAISE EXCEPTION 'a charge goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bank_charges_transition';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER bank_charges_transition BEFORE UPDATE ON bank_charges
    FOR EACH ROW EXECUTE FUNCTION bank_charges_transition();

-- How far the list of received Pix of a bank account was read. One process at a time reads it.
CREATE TABLE IF NOT EXISTS bank_sweeps (
    bank_account_id text PRIMARY KEY CONSTRAINT bank_sweeps_bank_account_id_fkey REFERENCES bank_accounts,
    leased_until timestamptz NOT NULL,
    started_at timestamptz NOT NULL, -- Pix before are not the gateway's
    watermark timestamptz NOT NULL, -- Pix until then are recorded, by the bank's clock
    swept_at timestamptz, -- when the last complete sweep began, by the bank's clock
    swept_deep_at timestamptz, -- the last that went back further
    old_from timestamptz, -- the old day that is read next for returns; null: the oldest
    old_read_at timestamptz
);

-- The account that received a Pix: null for the simulator.
ALTER TABLE payments ADD COLUMN IF NOT EXISTS bank_account_id text;
ALTER TABLE payments DROP CONSTRAINT IF EXISTS payments_bank_account_id_fkey,
    ADD CONSTRAINT payments_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts NOT VALID;
ALTER TABLE payments VALIDATE CONSTRAINT payments_bank_account_id_fkey;
DROP INDEX CONCURRENTLY IF EXISTS payments_bank_account;
CREATE INDEX CONCURRENTLY payments_bank_account ON payments (bank_account_id, paid_at) WHERE bank_account_id IS NOT NULL;

-- +goose Down
DROP INDEX payments_bank_account;
ALTER TABLE payments DROP COLUMN bank_account_id;
DROP TABLE bank_sweeps;
DROP TABLE bank_charges;
DROP FUNCTION bank_charges_transition;
