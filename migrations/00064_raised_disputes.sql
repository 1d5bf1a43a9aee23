-- +goose Up
-- compatible with 00062: older programs raise nothing; their check of the books reports a dispute that was raised

-- A dispute changes as it is answered and closed. While it is open, more is blocked for it if a refund of its payment
-- fails. What is released was blocked and is not returned; a dispute that was won holds nothing back.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION disputes_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE rest bigint;
BEGIN
    IF (NEW.id, NEW.bank_account_id, NEW.payment_id, NEW.account_id, NEW.livemode, NEW.amount, NEW.opened_by, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.bank_account_id, OLD.payment_id, OLD.account_id, OLD.livemode, OLD.amount, OLD.opened_by, OLD.created_at)
        OR NEW.blocked < OLD.blocked OR NEW.short NOT BETWEEN OLD.short AND OLD.short + NEW.blocked - OLD.blocked
        OR NEW.blocked > OLD.blocked AND (OLD.closed_at IS NOT NULL OR NEW.closed_at IS NOT NULL)
        OR OLD.defense_at IS NOT NULL AND (NEW.defense, NEW.defense_by, NEW.defense_at)
            IS DISTINCT FROM (OLD.defense, OLD.defense_by, OLD.defense_at)
        OR OLD.released > 0 AND NEW.released <> OLD.released
        OR NEW.bank_ref <> OLD.bank_ref AND NOT starts_with(OLD.bank_ref, 'return/')
        OR NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (('OPEN', 'DEFENDED'), ('OPEN', 'ACCEPTED'), ('OPEN', 'WON'),
            ('OPEN', 'LOST'), ('DEFENDED', 'WON'), ('DEFENDED', 'LOST'), ('ACCEPTED', 'WON'), ('ACCEPTED', 'LOST'), ('WON', 'LOST')) THEN
        RAISE EXCEPTION 'a dispute goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'disputes_transition';
    END IF;
    IF NEW.released <> OLD.released OR NEW.status <> OLD.status AND NEW.status = 'WON' THEN
        SELECT NEW.blocked - NEW.released - coalesce(sum(from_blocked), 0) INTO rest FROM refunds WHERE dispute_id = NEW.id;
        IF rest <> 0 OR NEW.closed_at IS NULL THEN
            RAISE EXCEPTION 'the whole rest of a closed dispute is released' USING ERRCODE = 'check_violation', CONSTRAINT = 'disputes_released';
        END IF;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION disputes_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE rest bigint;
BEGIN
    IF (NEW.id, NEW.bank_account_id, NEW.payment_id, NEW.account_id, NEW.livemode, NEW.amount, NEW.blocked, NEW.short,
            NEW.opened_by, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.bank_account_id, OLD.payment_id, OLD.account_id, OLD.livemode, OLD.amount, OLD.blocked, OLD.short,
            OLD.opened_by, OLD.created_at)
        OR OLD.defense_at IS NOT NULL AND (NEW.defense, NEW.defense_by, NEW.defense_at)
            IS DISTINCT FROM (OLD.defense, OLD.defense_by, OLD.defense_at)
        OR OLD.released > 0 AND NEW.released <> OLD.released
        OR NEW.bank_ref <> OLD.bank_ref AND NOT starts_with(OLD.bank_ref, 'return/')
        OR NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (('OPEN', 'DEFENDED'), ('OPEN', 'ACCEPTED'), ('OPEN', 'WON'),
            ('OPEN', 'LOST'), ('DEFENDED', 'WON'), ('DEFENDED', 'LOST'), ('ACCEPTED', 'WON'), ('ACCEPTED', 'LOST'), ('WON', 'LOST')) THEN
        RAISE EXCEPTION 'a dispute goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'disputes_transition';
    END IF;
    IF NEW.released <> OLD.released OR NEW.status <> OLD.status AND NEW.status = 'WON' THEN
        SELECT NEW.blocked - NEW.released - coalesce(sum(from_blocked), 0) INTO rest FROM refunds WHERE dispute_id = NEW.id;
        IF rest <> 0 OR NEW.closed_at IS NULL THEN
            RAISE EXCEPTION 'the whole rest of a closed dispute is released' USING ERRCODE = 'check_violation', CONSTRAINT = 'disputes_released';
        END IF;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
