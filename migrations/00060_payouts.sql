-- +goose Up
-- compatible with 00054: new tables, and a column with a default; an older program cannot end a payout under way

-- The payouts of withdrawals by banks. A row is written before the bank is asked, and sending_at before the
-- first byte leaves: from then on the bank is only read.
CREATE TABLE payout_attempts (
    id text PRIMARY KEY CONSTRAINT payout_attempts_id CHECK (id ~ '^wdr[0-9a-f]{20}n[1-9][0-9]{0,5}$'), -- the bank knows it by it
    withdrawal_id text NOT NULL CONSTRAINT payout_attempts_withdrawal_id_fkey REFERENCES withdrawals,
    bank_account_id text NOT NULL CONSTRAINT payout_attempts_bank_account_id_fkey REFERENCES bank_accounts,
    amount bigint NOT NULL CONSTRAINT payout_attempts_amount CHECK (amount > 0), -- the withdrawal's net amount
    status text NOT NULL DEFAULT 'STORED' CONSTRAINT payout_attempts_status
        CHECK (status IN ('STORED', 'SENDING', 'PROCESSING', 'DONE', 'REFUSED')),
    sending_at timestamptz,
    heard_at timestamptz, -- when the bank last said that it has it
    end_to_end_id text CONSTRAINT payout_attempts_end_to_end_id CHECK (char_length(end_to_end_id) BETWEEN 1 AND 64),
    code text NOT NULL DEFAULT '' CONSTRAINT payout_attempts_code CHECK (char_length(code) <= 64), -- the bank's, of a refusal
    failure text NOT NULL DEFAULT '' CONSTRAINT payout_attempts_failure CHECK (char_length(failure) <= 200),
    looks integer NOT NULL DEFAULT 0,
    next_look_at timestamptz, -- null: the bank need not be asked
    told_at timestamptz, -- when the staff were told that its outcome is unknown
    decided_by text CONSTRAINT payout_attempts_decided_by_fkey REFERENCES users, -- who said how it ended, in the bank's place
    created_at timestamptz NOT NULL,
    ended_at timestamptz,
    CONSTRAINT payout_attempts_sent CHECK (sending_at IS NOT NULL OR status IN ('STORED', 'REFUSED')),
    CONSTRAINT payout_attempts_ended CHECK ((ended_at IS NOT NULL) = (status IN ('DONE', 'REFUSED'))
        AND (status <> 'DONE' OR end_to_end_id IS NOT NULL) AND (decided_by IS NULL OR ended_at IS NOT NULL)),
    CONSTRAINT payout_attempts_looked_at CHECK (ended_at IS NOT NULL OR next_look_at IS NOT NULL)
);
CREATE UNIQUE INDEX payout_attempts_one ON payout_attempts (withdrawal_id) WHERE status <> 'REFUSED';
CREATE INDEX payout_attempts_of ON payout_attempts (withdrawal_id, created_at);
CREATE INDEX payout_attempts_due ON payout_attempts (bank_account_id, next_look_at) WHERE next_look_at IS NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION payout_attempts_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.withdrawal_id, NEW.bank_account_id, NEW.amount, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.withdrawal_id, OLD.bank_account_id, OLD.amount, OLD.created_at)
        OR OLD.ended_at IS NOT NULL AND (NEW.status, NEW.end_to_end_id, NEW.code, NEW.ended_at, NEW.decided_by)
            IS DISTINCT FROM (OLD.status, OLD.end_to_end_id, OLD.code, OLD.ended_at, OLD.decided_by)
        OR NEW.status = 'STORED' AND OLD.status NOT IN ('STORED', 'SENDING') -- back: certainly not sent
        OR NEW.status = 'SENDING' AND OLD.status NOT IN ('STORED', 'SENDING') THEN
        RAISE EXCEPTION 'a payout goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payout_attempts_transition';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER payout_attempts_transition BEFORE UPDATE ON payout_attempts FOR EACH ROW EXECUTE FUNCTION payout_attempts_transition();
CREATE TRIGGER payout_attempts_stay BEFORE DELETE OR TRUNCATE ON payout_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Money of a completed withdrawal that came back. One that came back whole before this table has no row.
CREATE TABLE withdrawal_returns (
    id text PRIMARY KEY CONSTRAINT withdrawal_returns_id CHECK (id ~ '^wrt_[0-9a-f]{20}$'),
    withdrawal_id text NOT NULL CONSTRAINT withdrawal_returns_withdrawal_id_fkey REFERENCES withdrawals,
    return_id text CONSTRAINT withdrawal_returns_return_id CHECK (char_length(return_id) BETWEEN 1 AND 64), -- of the payment system; null if staff noted it
    bank_return_id text CONSTRAINT withdrawal_returns_bank_return_id CHECK (char_length(bank_return_id) BETWEEN 1 AND 64), -- its id in its Pix
    amount bigint NOT NULL CONSTRAINT withdrawal_returns_amount CHECK (amount > 0),
    returned_at timestamptz NOT NULL, -- by the bank's clock
    recorded_at timestamptz NOT NULL,
    created_by text CONSTRAINT withdrawal_returns_created_by_fkey REFERENCES users, -- null: found at the bank
    CONSTRAINT withdrawal_returns_known CHECK (created_by IS NOT NULL OR num_nulls(return_id, bank_return_id) < 2)
);
CREATE UNIQUE INDEX withdrawal_returns_once ON withdrawal_returns (return_id);
CREATE UNIQUE INDEX withdrawal_returns_once_each ON withdrawal_returns (withdrawal_id, bank_return_id);
CREATE INDEX withdrawal_returns_of ON withdrawal_returns (withdrawal_id, recorded_at);
CREATE TRIGGER withdrawal_returns_final BEFORE DELETE OR UPDATE OR TRUNCATE ON withdrawal_returns FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
CREATE FUNCTION withdrawal_returns_within() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    paid withdrawals;
BEGIN
    SELECT * INTO paid FROM withdrawals WHERE id = NEW.withdrawal_id FOR NO KEY UPDATE;
    IF paid.status <> 'COMPLETED'
        OR (SELECT sum(amount) FROM withdrawal_returns WHERE withdrawal_id = NEW.withdrawal_id) > paid.amount - paid.fee THEN
        RAISE EXCEPTION 'more would come back than was paid out' USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_returns_within';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER withdrawal_returns_within AFTER INSERT ON withdrawal_returns FOR EACH ROW EXECUTE FUNCTION withdrawal_returns_within();

-- A withdrawal does not end while the bank may be paying it, does not fail after the bank has paid it, and
-- comes back whole: at once, or in parts.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION withdrawals_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status <> OLD.status AND NOT (OLD.status, NEW.status) IN (
        ('PENDING_REVIEW', 'CANCELLED'), ('PENDING_REVIEW', 'REJECTED'), ('PENDING_REVIEW', 'APPROVED'), ('APPROVED', 'PROCESSING'),
        ('APPROVED', 'FAILED'), ('PROCESSING', 'COMPLETED'), ('PROCESSING', 'FAILED'), ('COMPLETED', 'RETURNED')) THEN
        RAISE EXCEPTION 'a withdrawal does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_transition';
    END IF;
    IF (NEW.id, NEW.account_id, NEW.livemode, NEW.rail, NEW.amount, NEW.fee, NEW.destination_id, NEW.created_at, NEW.quote_rate, NEW.quote_amount)
        IS DISTINCT FROM (OLD.id, OLD.account_id, OLD.livemode, OLD.rail, OLD.amount, OLD.fee, OLD.destination_id, OLD.created_at, OLD.quote_rate, OLD.quote_amount)
        OR NEW.version <= OLD.version THEN
        RAISE EXCEPTION 'what was asked for does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_pinned';
    END IF;
    IF OLD.status = 'PROCESSING' AND NEW.status <> OLD.status AND EXISTS (SELECT FROM payout_attempts p WHERE p.withdrawal_id = NEW.id
        AND p.status <> 'REFUSED' AND NOT (p.status = 'DONE' AND NEW.status = 'COMPLETED' AND p.end_to_end_id = NEW.end_to_end_id)) THEN
        RAISE EXCEPTION 'the bank is paying the withdrawal, or has paid it' USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_payout';
    END IF;
    IF OLD.status = 'COMPLETED' AND NEW.status = 'RETURNED'
        AND (SELECT coalesce(sum(amount), 0) FROM withdrawal_returns WHERE withdrawal_id = NEW.id) NOT IN (0, NEW.amount - NEW.fee) THEN
        RAISE EXCEPTION 'a part of the withdrawal has not come back' USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_returned';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- One process at a time makes the payouts of a bank account.
ALTER TABLE bank_sweeps ADD COLUMN payouts_leased_until timestamptz NOT NULL DEFAULT '-infinity';

-- +goose Down
ALTER TABLE bank_sweeps DROP COLUMN payouts_leased_until;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION withdrawals_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status <> OLD.status AND NOT (OLD.status, NEW.status) IN (
        ('PENDING_REVIEW', 'CANCELLED'), ('PENDING_REVIEW', 'REJECTED'), ('PENDING_REVIEW', 'APPROVED'), ('APPROVED', 'PROCESSING'),
        ('APPROVED', 'FAILED'), ('PROCESSING', 'COMPLETED'), ('PROCESSING', 'FAILED'), ('COMPLETED', 'RETURNED')) THEN
        RAISE EXCEPTION 'a withdrawal does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_transition';
    END IF;
    IF (NEW.id, NEW.account_id, NEW.livemode, NEW.rail, NEW.amount, NEW.fee, NEW.destination_id, NEW.created_at, NEW.quote_rate, NEW.quote_amount)
        IS DISTINCT FROM (OLD.id, OLD.account_id, OLD.livemode, OLD.rail, OLD.amount, OLD.fee, OLD.destination_id, OLD.created_at, OLD.quote_rate, OLD.quote_amount)
        OR NEW.version <= OLD.version THEN
        RAISE EXCEPTION 'what was asked for does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawals_pinned';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP TABLE withdrawal_returns;
DROP TABLE payout_attempts;
DROP FUNCTION withdrawal_returns_within;
DROP FUNCTION payout_attempts_transition;
