-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00054: older programs leave the new columns alone; they cannot decide while a bank is giving money back

-- Money of an exception is given back by the bank that received it. Meanwhile nobody decides otherwise.
ALTER TABLE payment_exceptions ADD COLUMN IF NOT EXISTS return_status text, -- null: no bank was asked, and none gave it back
    ADD COLUMN IF NOT EXISTS return_number integer NOT NULL DEFAULT 0, -- of the request to the bank, which has an id of its own
    ADD COLUMN IF NOT EXISTS return_reason text, -- of the person who asked
    ADD COLUMN IF NOT EXISTS return_by text,
    ADD COLUMN IF NOT EXISTS return_failure text NOT NULL DEFAULT '', -- in the bank's words
    ADD COLUMN IF NOT EXISTS return_tries integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS return_next_try_at timestamptz, -- null: the bank need not be asked
    ADD COLUMN IF NOT EXISTS return_ended_at timestamptz,
    ADD COLUMN IF NOT EXISTS checkout_id text; -- for which staff gave an unmatched payment to its account
ALTER TABLE payment_exceptions DROP CONSTRAINT IF EXISTS payment_exceptions_return_by_fkey,
    ADD CONSTRAINT payment_exceptions_return_by_fkey FOREIGN KEY (return_by) REFERENCES users NOT VALID;
ALTER TABLE payment_exceptions VALIDATE CONSTRAINT payment_exceptions_return_by_fkey;
ALTER TABLE payment_exceptions DROP CONSTRAINT IF EXISTS payment_exceptions_checkout_id_fkey,
    ADD CONSTRAINT payment_exceptions_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts NOT VALID;
ALTER TABLE payment_exceptions VALIDATE CONSTRAINT payment_exceptions_checkout_id_fkey;
ALTER TABLE payment_exceptions DROP CONSTRAINT IF EXISTS payment_exceptions_assigned,
    ADD CONSTRAINT payment_exceptions_assigned CHECK (checkout_id IS NULL OR kind = 'UNMATCHED' AND decision = 'ACCEPTED') NOT VALID;
ALTER TABLE payment_exceptions VALIDATE CONSTRAINT payment_exceptions_assigned;
ALTER TABLE payment_exceptions DROP CONSTRAINT IF EXISTS payment_exceptions_return,
    ADD CONSTRAINT payment_exceptions_return CHECK (CASE return_status
        WHEN 'REQUESTED' THEN decision IS NULL AND num_nulls(return_reason, return_by, return_next_try_at) = 0 AND return_number > 0
        WHEN 'PROCESSING' THEN decision IS NULL AND num_nulls(return_reason, return_by, return_next_try_at) = 0 AND return_number > 0
        WHEN 'COMPLETED' THEN decision IN ('REFUNDED', 'WRITTEN_OFF') AND return_next_try_at IS NULL AND return_ended_at IS NOT NULL
        WHEN 'FAILED' THEN return_next_try_at IS NULL
        ELSE return_status IS NULL AND return_next_try_at IS NULL END) NOT VALID;
ALTER TABLE payment_exceptions VALIDATE CONSTRAINT payment_exceptions_return;
ALTER TABLE payment_exceptions DROP CONSTRAINT IF EXISTS payment_exceptions_return_failure,
    ADD CONSTRAINT payment_exceptions_return_failure CHECK (char_length(return_failure) <= 200) NOT VALID;
ALTER TABLE payment_exceptions VALIDATE CONSTRAINT payment_exceptions_return_failure;
-- A return that was found at the bank was decided by nobody here.
ALTER TABLE payment_exceptions DROP CONSTRAINT IF EXISTS payment_exceptions_decided,
    ADD CONSTRAINT payment_exceptions_decided CHECK (num_nulls(decision, reason, decided_at) IN (0, 3)
        AND CASE WHEN decision IS NULL THEN decided_by IS NULL
            ELSE decided_by IS NOT NULL OR decision = 'REFUNDED' AND return_status = 'COMPLETED' END) NOT VALID;
ALTER TABLE payment_exceptions VALIDATE CONSTRAINT payment_exceptions_decided;
-- Staff may give an unmatched payment to an account.
ALTER TABLE payment_exceptions DROP CONSTRAINT IF EXISTS payment_exceptions_unmatched;
DROP INDEX CONCURRENTLY IF EXISTS payment_exceptions_due;
CREATE INDEX CONCURRENTLY payment_exceptions_due ON payment_exceptions (return_next_try_at) WHERE return_next_try_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS payment_exceptions_by_return;
CREATE INDEX CONCURRENTLY payment_exceptions_by_return ON payment_exceptions (return_ended_at) WHERE return_ended_at IS NOT NULL;

-- An account is closed when no payout, dispute or return of an exception is under way either.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION bank_accounts_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM bank_charges WHERE bank_account_id = NEW.id AND next_check_at IS NOT NULL)
        OR EXISTS (SELECT FROM refunds r JOIN payments p ON p.id = r.payment_id
            WHERE r.next_try_at IS NOT NULL AND p.bank_account_id = NEW.id)
        OR EXISTS (SELECT FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id
            WHERE x.return_next_try_at IS NOT NULL AND p.bank_account_id = NEW.id)
        OR EXISTS (SELECT FROM payout_attempts WHERE bank_account_id = NEW.id AND ended_at IS NULL)
        OR EXISTS (SELECT FROM disputes WHERE bank_account_id = NEW.id AND status IN ('OPEN', 'DEFENDED', 'ACCEPTED')) THEN
        RAISE EXCEPTION 'a bank account with open charges or refunds cannot be closed'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bank_accounts_closed';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION bank_accounts_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM bank_charges WHERE bank_account_id = NEW.id AND next_check_at IS NOT NULL)
        OR EXISTS (SELECT FROM refunds r JOIN payments p ON p.id = r.payment_id
            WHERE r.next_try_at IS NOT NULL AND p.bank_account_id = NEW.id) THEN
        RAISE EXCEPTION 'a bank account with open charges or refunds cannot be closed'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bank_accounts_closed';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP INDEX payment_exceptions_due, payment_exceptions_by_return;
ALTER TABLE payment_exceptions DROP COLUMN return_status, DROP COLUMN return_number, DROP COLUMN return_reason, DROP COLUMN return_by,
    DROP COLUMN return_failure, DROP COLUMN return_tries, DROP COLUMN return_next_try_at, DROP COLUMN return_ended_at,
    DROP COLUMN checkout_id,
    ADD CONSTRAINT payment_exceptions_unmatched CHECK (kind <> 'UNMATCHED' OR decision IS DISTINCT FROM 'ACCEPTED') NOT VALID,
    ADD CONSTRAINT payment_exceptions_decided CHECK (num_nulls(decision, reason, decided_by, decided_at) IN (0, 4)) NOT VALID;
