-- +goose Up
-- compatible with 00069: older programs do not use the table; until they are gone, they go on to rename at once

-- The names that buyers are to see of accounts that were approved for live, until staff accept or refuse them.
CREATE TABLE name_proposals (
    id              text PRIMARY KEY CHECK (id ~ '^npr_[0-9a-f]{20}$'),
    account_id      text NOT NULL REFERENCES accounts,
    before          text NOT NULL, -- the name at the time of the proposal
    name            text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    status          text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'APPROVED', 'REFUSED', 'WITHDRAWN')),
    proposed_by     text NOT NULL REFERENCES users,
    proposed_at     timestamptz NOT NULL,
    decided_by      text REFERENCES users,
    decided_at      timestamptz,
    decision_reason text CHECK (char_length(decision_reason) BETWEEN 1 AND 500),
    CONSTRAINT name_proposals_decided CHECK (num_nulls(decided_by, decided_at) = CASE status WHEN 'PENDING' THEN 2 ELSE 0 END),
    CONSTRAINT name_proposals_two_people CHECK (status <> 'APPROVED' OR decided_by <> proposed_by),
    CONSTRAINT name_proposals_refused CHECK ((status = 'REFUSED') = (decision_reason IS NOT NULL))
);
CREATE UNIQUE INDEX name_proposals_one_pending ON name_proposals (account_id) WHERE status = 'PENDING';
CREATE INDEX name_proposals_pending ON name_proposals (proposed_at, id) WHERE status = 'PENDING';
CREATE INDEX name_proposals_by_account ON name_proposals (account_id, proposed_at DESC, id DESC);
CREATE INDEX name_proposals_by_page ON name_proposals (proposed_at DESC, id DESC);

-- A request in review gets a new version when the account is renamed: staff decide about what they saw.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION access_requests_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (OLD.status, NEW.status) IN (('PENDING_REVIEW', 'PENDING_REVIEW'), ('PENDING_REVIEW', 'WITHDRAWN'), ('PENDING_REVIEW', 'APPROVED'),
        ('PENDING_REVIEW', 'REJECTED'), ('PENDING_REVIEW', 'RETURNED'), ('APPROVED', 'REVOKED')) OR NEW.version <> OLD.version + 1 THEN
        RAISE EXCEPTION 'a request does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_transition';
    END IF;
    IF to_jsonb(NEW) - '{status,version,updated_at}'::text[] <> to_jsonb(OLD) - '{status,version,updated_at}'::text[] THEN
        RAISE EXCEPTION 'what was answered does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_pinned';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION access_requests_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (OLD.status, NEW.status) IN (('PENDING_REVIEW', 'WITHDRAWN'), ('PENDING_REVIEW', 'APPROVED'),
        ('PENDING_REVIEW', 'REJECTED'), ('PENDING_REVIEW', 'RETURNED'), ('APPROVED', 'REVOKED')) OR NEW.version <> OLD.version + 1 THEN
        RAISE EXCEPTION 'a request does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_transition';
    END IF;
    IF to_jsonb(NEW) - '{status,version,updated_at}'::text[] <> to_jsonb(OLD) - '{status,version,updated_at}'::text[] THEN
        RAISE EXCEPTION 'what was answered does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_pinned';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP TABLE name_proposals;
