-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00042: older programs write null, and read the columns of accounts, which stay

-- The fee of withdrawals, beside the fee of charges: null, as both, is the installation's.
ALTER TABLE fee_proposals ADD COLUMN IF NOT EXISTS withdrawal_basis_points integer,
    ADD COLUMN IF NOT EXISTS withdrawal_fixed bigint;
ALTER TABLE fee_proposals DROP CONSTRAINT IF EXISTS fee_proposals_withdrawal,
    ADD CONSTRAINT fee_proposals_withdrawal CHECK (num_nulls(withdrawal_basis_points, withdrawal_fixed) IN (0, 2)
        AND withdrawal_basis_points BETWEEN 0 AND 10000 AND withdrawal_fixed BETWEEN 0 AND 999999999999) NOT VALID;
ALTER TABLE fee_proposals VALIDATE CONSTRAINT fee_proposals_withdrawal;
ALTER TABLE account_fees ADD COLUMN IF NOT EXISTS withdrawal_basis_points integer,
    ADD COLUMN IF NOT EXISTS withdrawal_fixed bigint;
ALTER TABLE account_fees DROP CONSTRAINT IF EXISTS account_fees_withdrawal,
    ADD CONSTRAINT account_fees_withdrawal CHECK (num_nulls(withdrawal_basis_points, withdrawal_fixed) IN (0, 2)
        AND withdrawal_basis_points BETWEEN 0 AND 10000 AND withdrawal_fixed BETWEEN 0 AND 999999999999) NOT VALID;
ALTER TABLE account_fees VALIDATE CONSTRAINT account_fees_withdrawal;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION fee_proposals_decided_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'PENDING' OR NEW.status = 'PENDING'
        OR (NEW.id, NEW.account_id, NEW.basis_points, NEW.fixed, NEW.withdrawal_basis_points, NEW.withdrawal_fixed,
            NEW.starts_at, NEW.reason, NEW.proposed_by, NEW.proposed_at)
        IS DISTINCT FROM (OLD.id, OLD.account_id, OLD.basis_points, OLD.fixed, OLD.withdrawal_basis_points, OLD.withdrawal_fixed,
            OLD.starts_at, OLD.reason, OLD.proposed_by, OLD.proposed_at) THEN
        RAISE EXCEPTION 'a proposal is decided once and never becomes another'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'fee_proposals_decided_once';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Only SQL by hand could give an account such a fee before. It stays: as a row from now on
-- with the fee of charges that applies now, and as one for each fee of charges that is
-- planned, because the row that was written last counts. The columns of accounts stay for
-- the version before this one and are read no more. All is written or nothing, and only once.
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM account_fees WHERE withdrawal_fixed IS NOT NULL) THEN
        INSERT INTO account_fees (account_id, basis_points, fixed, withdrawal_basis_points, withdrawal_fixed, valid_from, written_at)
            SELECT a.id, f.basis_points, f.fixed, a.withdrawal_fee_basis_points, least(a.withdrawal_fee_fixed, 999999999999),
                greatest(f.valid_from, now()), now()
            FROM accounts a
                LEFT JOIN LATERAL (SELECT max(id) AS id FROM account_fees
                    WHERE account_id = a.id AND valid_from <= now()) applies ON true
                LEFT JOIN LATERAL (SELECT id, basis_points, fixed, valid_from FROM account_fees
                        WHERE account_id = a.id AND id >= coalesce(applies.id, 0)
                    UNION ALL SELECT 0, NULL, NULL, NULL WHERE applies.id IS NULL) f ON true
            WHERE (a.withdrawal_fee_basis_points, a.withdrawal_fee_fixed) <> (0, 0)
            ORDER BY a.id, f.id;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION fee_proposals_decided_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'PENDING' OR NEW.status = 'PENDING'
        OR (NEW.id, NEW.account_id, NEW.basis_points, NEW.fixed, NEW.starts_at, NEW.reason, NEW.proposed_by, NEW.proposed_at)
        IS DISTINCT FROM (OLD.id, OLD.account_id, OLD.basis_points, OLD.fixed, OLD.starts_at, OLD.reason, OLD.proposed_by, OLD.proposed_at) THEN
        RAISE EXCEPTION 'a proposal is decided once and never becomes another'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'fee_proposals_decided_once';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER TABLE account_fees DROP COLUMN withdrawal_basis_points, DROP COLUMN withdrawal_fixed;
ALTER TABLE fee_proposals DROP COLUMN withdrawal_basis_points, DROP COLUMN withdrawal_fixed;
