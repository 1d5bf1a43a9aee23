-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00054: new columns, which older programs leave null, and indexes that allow no less

-- A bank account is the installation's, or a merchant's own, whose money never is the installation's. Each
-- has one active account, and a merchant one that is proposed.
ALTER TABLE bank_accounts ADD COLUMN IF NOT EXISTS account_id text; -- null: the installation's
ALTER TABLE bank_accounts DROP CONSTRAINT IF EXISTS bank_accounts_account_id_fkey,
    ADD CONSTRAINT bank_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts NOT VALID;
ALTER TABLE bank_accounts VALIDATE CONSTRAINT bank_accounts_account_id_fkey;
DROP INDEX CONCURRENTLY IF EXISTS bank_accounts_account;
CREATE INDEX CONCURRENTLY bank_accounts_account ON bank_accounts (account_id);
DROP INDEX CONCURRENTLY IF EXISTS bank_accounts_one_active_each;
CREATE UNIQUE INDEX CONCURRENTLY bank_accounts_one_active_each ON bank_accounts (coalesce(account_id, '')) WHERE status = 'ACTIVE';
DROP INDEX CONCURRENTLY IF EXISTS bank_accounts_one_active;
DROP INDEX CONCURRENTLY IF EXISTS bank_accounts_draft_once_ours;
CREATE UNIQUE INDEX CONCURRENTLY bank_accounts_draft_once_ours ON bank_accounts (profile, sandbox, pix_key)
    WHERE status = 'DRAFT' AND account_id IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS bank_accounts_draft_once;
DROP INDEX CONCURRENTLY IF EXISTS bank_accounts_own_draft;
CREATE UNIQUE INDEX CONCURRENTLY bank_accounts_own_draft ON bank_accounts (account_id) WHERE status = 'DRAFT';
CREATE OR REPLACE TRIGGER bank_accounts_stay_theirs BEFORE UPDATE ON bank_accounts FOR EACH ROW
    WHEN (OLD.account_id IS DISTINCT FROM NEW.account_id) EXECUTE FUNCTION refuse_change();

-- When approved credentials of a merchant's own account take effect; null: at the approval.
ALTER TABLE bank_credentials ADD COLUMN IF NOT EXISTS applies_at timestamptz;
ALTER TABLE bank_credentials DROP CONSTRAINT IF EXISTS bank_credentials_applies_at,
    ADD CONSTRAINT bank_credentials_applies_at
        CHECK (applies_at IS NULL OR approved_at IS NOT NULL AND applies_at >= approved_at) NOT VALID;
ALTER TABLE bank_credentials VALIDATE CONSTRAINT bank_credentials_applies_at;
DROP INDEX CONCURRENTLY IF EXISTS bank_credentials_due;
CREATE INDEX CONCURRENTLY bank_credentials_due ON bank_credentials (applies_at) WHERE status = 'NEW';
CREATE OR REPLACE TRIGGER bank_credentials_apply_then BEFORE UPDATE ON bank_credentials FOR EACH ROW
    WHEN (OLD.applies_at IS NOT NULL AND OLD.applies_at IS DISTINCT FROM NEW.applies_at) EXECUTE FUNCTION refuse_change();

-- The bank account that new live charges of a project go to: its merchant's own, otherwise the
-- installation's. A function keeps its plan.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION charging_bank_account(project text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT b.id FROM projects j JOIN bank_accounts b
            ON b.status = 'ACTIVE' AND coalesce(b.account_id, '') IN (j.account_id, '')
        WHERE j.id = project ORDER BY b.account_id NULLS LAST LIMIT 1);
END $$;
-- +goose StatementEnd

-- What a refund took back from the merchant's own bank account.
ALTER TABLE refunds ADD COLUMN IF NOT EXISTS from_paid_out bigint NOT NULL DEFAULT 0;
ALTER TABLE refunds DROP CONSTRAINT IF EXISTS refunds_from_paid_out,
    ADD CONSTRAINT refunds_from_paid_out CHECK (from_paid_out >= 0 AND from_pending + from_blocked + short + from_paid_out <= amount)
        NOT VALID;
ALTER TABLE refunds VALIDATE CONSTRAINT refunds_from_paid_out;
CREATE OR REPLACE TRIGGER refunds_from_paid_out_stays BEFORE UPDATE ON refunds FOR EACH ROW
    WHEN (OLD.from_paid_out <> NEW.from_paid_out) EXECUTE FUNCTION refuse_change();

-- A merchant may accept a payment at the own account that was meant for no checkout.
ALTER TABLE payment_exceptions DROP CONSTRAINT IF EXISTS payment_exceptions_unmatched;

-- Money of payments at a merchant's own bank account leaves pending towards paid_out, and comes back from
-- there. It never reaches available, and no other payment's money goes that way. What a fact takes from pending
-- and gives to it is compared by ledger_no_overdraft.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_own_bank() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    subject text := split_part(NEW.fact, '/', 2);
    owner   text;
BEGIN
    CASE split_part(NEW.fact, '/', 1)
        WHEN 'settlement' THEN
            SELECT b.account_id INTO owner FROM payments p JOIN bank_accounts b ON b.id = p.bank_account_id
                WHERE p.checkout_id = subject AND p.settles;
        WHEN 'refund' THEN
            SELECT b.account_id INTO owner FROM refunds r JOIN payments p ON p.id = r.payment_id
                JOIN bank_accounts b ON b.id = p.bank_account_id WHERE r.id = subject;
        WHEN 'exception' THEN
            SELECT b.account_id INTO owner FROM payments p JOIN bank_accounts b ON b.id = p.bank_account_id
                WHERE p.id = subject;
        ELSE
    END CASE;
    IF NEW.from_book LIKE '%/available' OR NEW.to_book LIKE '%/available' THEN
        IF owner IS NULL THEN
            RETURN NULL;
        END IF;
    ELSIF owner || '/live/pending' IN (NEW.from_book, NEW.to_book) THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'money goes where it is not: %', NEW.fact
        USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_own_bank', TABLE = 'ledger_transfers';
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER ledger_own_bank AFTER INSERT ON ledger_transfers FOR EACH ROW
    WHEN (NEW.from_book LIKE '%/pending' AND NEW.to_book LIKE 'platform/%/paid_out'
        OR NEW.from_book LIKE 'platform/%/paid_out' AND NEW.to_book LIKE '%/pending'
        OR (NEW.from_book LIKE '%/available' OR NEW.to_book LIKE '%/available')
            AND split_part(NEW.fact, '/', 1) IN ('settlement', 'refund', 'exception'))
    EXECUTE FUNCTION ledger_own_bank();

-- A checkout's settlement is what was posted for it: to available, or to the own bank account.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION checkouts_settle_posted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.settlement_amount IS DISTINCT FROM (SELECT coalesce(sum(amount), 0) FROM ledger_transfers
        WHERE fact = 'settlement/' || NEW.id AND (to_book LIKE '%/available' OR to_book LIKE 'platform/%/paid_out')) THEN
        RAISE EXCEPTION 'the settlement of % was not posted', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'checkouts_settle_posted';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION checkouts_settle_posted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.settlement_amount IS DISTINCT FROM (SELECT coalesce(sum(amount), 0) FROM ledger_transfers
        WHERE fact = 'settlement/' || NEW.id AND to_book LIKE '%/available') THEN
        RAISE EXCEPTION 'the settlement of % was not posted', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'checkouts_settle_posted';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER ledger_own_bank ON ledger_transfers;
DROP FUNCTION ledger_own_bank;
ALTER TABLE payment_exceptions ADD CONSTRAINT payment_exceptions_unmatched
    CHECK (kind <> 'UNMATCHED' OR decision IS DISTINCT FROM 'ACCEPTED');
DROP TRIGGER refunds_from_paid_out_stays ON refunds;
ALTER TABLE refunds DROP COLUMN from_paid_out;
DROP FUNCTION charging_bank_account;
DROP TRIGGER bank_credentials_apply_then ON bank_credentials;
ALTER TABLE bank_credentials DROP COLUMN applies_at;
DROP TRIGGER bank_accounts_stay_theirs ON bank_accounts;
ALTER TABLE bank_accounts DROP COLUMN account_id;
CREATE UNIQUE INDEX bank_accounts_one_active ON bank_accounts ((true)) WHERE status = 'ACTIVE';
CREATE UNIQUE INDEX bank_accounts_draft_once ON bank_accounts (profile, sandbox, pix_key) WHERE status = 'DRAFT';
