-- +goose Up

-- What a payment costs an account that has no fee of its own: the settings of the
-- installation, as they were from a moment on. A charge keeps the fee of the moment in
-- which it was created, so what a setting was before is kept.
CREATE TABLE default_fees (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    basis_points integer NOT NULL CHECK (basis_points BETWEEN 0 AND 10000),
    fixed        bigint NOT NULL CHECK (fixed BETWEEN 0 AND 999999999999),
    valid_from   timestamptz NOT NULL
);
INSERT INTO default_fees (basis_points, fixed, valid_from) VALUES (99, 0, '1970-01-01T00:00:00Z');
CREATE TRIGGER default_fees_final BEFORE UPDATE OR DELETE OR TRUNCATE ON default_fees
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A fee that one person of staff wants for an account, until another one approves it.
CREATE TABLE fee_proposals (
    id              text PRIMARY KEY CHECK (id ~ '^fpr_[0-9a-f]{20}$'),
    account_id      text NOT NULL REFERENCES accounts,
    basis_points    integer CHECK (basis_points BETWEEN 0 AND 10000), -- null, as fixed: the installation's fee
    fixed           bigint CHECK (fixed BETWEEN 0 AND 999999999999),
    starts_at       timestamptz, -- null: with the approval
    reason          text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 500),
    status          text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'APPROVED', 'REFUSED', 'WITHDRAWN')),
    proposed_by     text NOT NULL REFERENCES users,
    proposed_at     timestamptz NOT NULL,
    decided_by      text REFERENCES users,
    decided_at      timestamptz,
    decision_reason text CHECK (char_length(decision_reason) BETWEEN 1 AND 500),
    CONSTRAINT fee_proposals_whole CHECK (num_nulls(basis_points, fixed) IN (0, 2)),
    CONSTRAINT fee_proposals_decided CHECK (num_nulls(decided_by, decided_at) = CASE status WHEN 'PENDING' THEN 2 ELSE 0 END),
    CONSTRAINT fee_proposals_two_people CHECK (status <> 'APPROVED' OR decided_by <> proposed_by),
    CONSTRAINT fee_proposals_own CHECK (status <> 'WITHDRAWN' OR decided_by = proposed_by),
    CONSTRAINT fee_proposals_refused CHECK ((status = 'REFUSED') = (decision_reason IS NOT NULL))
);
CREATE UNIQUE INDEX fee_proposals_one_pending ON fee_proposals (account_id) WHERE status = 'PENDING';
CREATE INDEX fee_proposals_pending ON fee_proposals (proposed_at, id) WHERE status = 'PENDING';
CREATE INDEX fee_proposals_by_account ON fee_proposals (account_id, proposed_at DESC, id DESC);
CREATE INDEX fee_proposals_by_page ON fee_proposals (proposed_at DESC, id DESC);

-- +goose StatementBegin
CREATE FUNCTION fee_proposals_decided_once() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER fee_proposals_decided_once BEFORE UPDATE ON fee_proposals
    FOR EACH ROW EXECUTE FUNCTION fee_proposals_decided_once();

-- What a payment costs an account, from a moment on. Of the rows whose moment has come,
-- the one that was written last counts.
CREATE TABLE account_fees (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   text NOT NULL REFERENCES accounts,
    basis_points integer CHECK (basis_points BETWEEN 0 AND 10000), -- null, as fixed: the installation's fee
    fixed        bigint CHECK (fixed BETWEEN 0 AND 999999999999),
    valid_from   timestamptz NOT NULL,
    proposal_id  text UNIQUE REFERENCES fee_proposals, -- null, with the three below: written by hand before there were any
    reason       text CHECK (char_length(reason) BETWEEN 1 AND 500),
    proposed_by  text REFERENCES users,
    approved_by  text REFERENCES users,
    written_at   timestamptz NOT NULL,
    CONSTRAINT account_fees_whole CHECK (num_nulls(basis_points, fixed) IN (0, 2)),
    CONSTRAINT account_fees_proposed CHECK (num_nulls(proposal_id, reason, proposed_by, approved_by) IN (0, 4)),
    CONSTRAINT account_fees_two_people CHECK (proposed_by <> approved_by),
    CONSTRAINT account_fees_not_before CHECK (proposal_id IS NULL OR valid_from >= written_at)
);
CREATE INDEX account_fees_by_account ON account_fees (account_id, id DESC);
CREATE TRIGGER account_fees_final BEFORE UPDATE OR DELETE OR TRUNCATE ON account_fees
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The other terms of an account, from a moment on; null: the installation's. Of the rows
-- whose moment has come, the one that was written last counts.
CREATE TABLE account_limits (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id       text NOT NULL REFERENCES accounts,
    min_amount       bigint CHECK (min_amount BETWEEN 1 AND 999999999999), -- of one charge
    max_amount       bigint CHECK (max_amount BETWEEN 1 AND 999999999999),
    settlement_delay integer CHECK (settlement_delay >= 0), -- seconds, in live
    destination_hold integer CHECK (destination_hold >= 0), -- seconds
    valid_from       timestamptz NOT NULL,
    reason           text CHECK (char_length(reason) BETWEEN 1 AND 500), -- null, as written_by: written by hand before
    written_by       text REFERENCES users,
    written_at       timestamptz NOT NULL,
    CONSTRAINT account_limits_range CHECK (max_amount >= min_amount),
    CONSTRAINT account_limits_written CHECK (num_nulls(reason, written_by) IN (0, 2)),
    CONSTRAINT account_limits_not_before CHECK (written_by IS NULL OR valid_from >= written_at)
);
CREATE INDEX account_limits_by_account ON account_limits (account_id, id DESC);
CREATE TRIGGER account_limits_final BEFORE UPDATE OR DELETE OR TRUNCATE ON account_limits
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Only SQL by hand could give an account terms of its own before. Those stay; accounts
-- with the columns' defaults follow the installation's settings. The columns of accounts
-- stay for the version before this one and are read no more.
INSERT INTO account_fees (account_id, basis_points, fixed, valid_from, written_at)
    SELECT id, fee_basis_points, fee_fixed, created_at, now() FROM accounts WHERE (fee_basis_points, fee_fixed) <> (99, 0);
INSERT INTO account_limits (account_id, min_amount, max_amount, settlement_delay, valid_from, written_at)
    SELECT id, nullif(min_amount, 1), nullif(max_amount, 100000000), settlement_delay, created_at, now()
    FROM accounts WHERE (min_amount, max_amount) <> (1, 100000000) OR settlement_delay IS NOT NULL;

-- +goose Down
DROP TABLE account_limits, account_fees, fee_proposals, default_fees;
DROP FUNCTION fee_proposals_decided_once;
