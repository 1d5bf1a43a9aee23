-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00054: new tables, and a column that older programs leave null

-- Received Pix that their payers contest (MED). While one is open, its amount is blocked: available money
-- may fall below zero for it, by what it is short.
CREATE TABLE IF NOT EXISTS disputes (
    id text PRIMARY KEY CONSTRAINT disputes_id CHECK (id ~ '^dsp_[0-9a-f]{20}$'),
    bank_account_id text CONSTRAINT disputes_bank_account_id_fkey REFERENCES bank_accounts, -- null: a payment of the simulator
    payment_id text NOT NULL CONSTRAINT disputes_payment_id_fkey REFERENCES payments,
    account_id text CONSTRAINT disputes_account_id_fkey REFERENCES accounts, -- null: the Pix was for no checkout
    livemode boolean NOT NULL,
    bank_ref text NOT NULL CONSTRAINT disputes_bank_ref CHECK (char_length(bank_ref) BETWEEN 1 AND 80),
    cause text NOT NULL CONSTRAINT disputes_cause CHECK (char_length(cause) <= 200),
    amount bigint NOT NULL CONSTRAINT disputes_amount CHECK (amount > 0),
    blocked bigint NOT NULL, -- at the opening
    short bigint NOT NULL, -- what available money lacked for it
    released bigint NOT NULL DEFAULT 0, -- of what was blocked, at the close or afterwards
    status text NOT NULL CONSTRAINT disputes_status CHECK (status IN ('OPEN', 'DEFENDED', 'ACCEPTED', 'WON', 'LOST')),
    bank_status text NOT NULL DEFAULT '' CONSTRAINT disputes_bank_status CHECK (char_length(bank_status) <= 64),
    answer_by timestamptz NOT NULL,
    defense text CONSTRAINT disputes_defense CHECK (char_length(defense) BETWEEN 1 AND 4000),
    defense_by text CONSTRAINT disputes_defense_by_fkey REFERENCES users,
    defense_at timestamptz, -- when the account answered
    sending_at timestamptz, -- when the answer last began to go to the bank
    defense_sent_at timestamptz, -- when the bank had the answer
    opened_by text CONSTRAINT disputes_opened_by_fkey REFERENCES users, -- null: found at the bank
    opened_at timestamptz NOT NULL, -- by the bank, if it says so
    created_at timestamptz NOT NULL,
    closed_by text CONSTRAINT disputes_closed_by_fkey REFERENCES users, -- null: by what the bank says
    close_reason text CONSTRAINT disputes_close_reason CHECK (char_length(close_reason) BETWEEN 1 AND 500),
    closed_at timestamptz,
    CONSTRAINT disputes_blocked CHECK (blocked BETWEEN 0 AND amount AND short BETWEEN 0 AND blocked
        AND released BETWEEN 0 AND blocked AND (blocked = 0 OR account_id IS NOT NULL)),
    CONSTRAINT disputes_closed CHECK ((closed_at IS NOT NULL) = (status IN ('WON', 'LOST'))),
    CONSTRAINT disputes_answered CHECK ((defense_by IS NULL OR defense_at IS NOT NULL)
        AND (defense IS NULL OR defense_by IS NOT NULL) AND (status <> 'ACCEPTED' OR defense_at IS NOT NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS disputes_once ON disputes (coalesce(bank_account_id, ''), bank_ref);
CREATE INDEX IF NOT EXISTS disputes_by_payment ON disputes (payment_id);
CREATE INDEX IF NOT EXISTS disputes_by_account ON disputes (account_id, livemode, opened_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS disputes_by_close ON disputes (closed_at);
CREATE INDEX IF NOT EXISTS disputes_by_creation ON disputes (created_at);
CREATE INDEX IF NOT EXISTS disputes_open ON disputes (answer_by, id) WHERE status IN ('OPEN', 'DEFENDED', 'ACCEPTED');
CREATE INDEX IF NOT EXISTS disputes_short ON disputes (account_id, livemode) WHERE short > 0;

-- The files of an answer.
CREATE TABLE IF NOT EXISTS dispute_files (
    id text PRIMARY KEY CONSTRAINT dispute_files_id CHECK (id ~ '^dfl_[0-9a-f]{20}$'),
    dispute_id text NOT NULL CONSTRAINT dispute_files_dispute_id_fkey REFERENCES disputes,
    place integer NOT NULL CONSTRAINT dispute_files_place CHECK (place BETWEEN 1 AND 5),
    name text NOT NULL CONSTRAINT dispute_files_name CHECK (char_length(name) BETWEEN 1 AND 100),
    media_type text NOT NULL CONSTRAINT dispute_files_media_type CHECK (media_type IN ('application/pdf', 'image/jpeg', 'image/png')),
    content bytea NOT NULL CONSTRAINT dispute_files_content CHECK (octet_length(content) BETWEEN 1 AND 2097152),
    created_by text NOT NULL CONSTRAINT dispute_files_created_by_fkey REFERENCES users,
    created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS dispute_files_places ON dispute_files (dispute_id, place);

ALTER TABLE refunds ADD COLUMN IF NOT EXISTS dispute_id text;
ALTER TABLE refunds DROP CONSTRAINT IF EXISTS refunds_dispute_id_fkey,
    ADD CONSTRAINT refunds_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes NOT VALID;
ALTER TABLE refunds VALIDATE CONSTRAINT refunds_dispute_id_fkey;
DROP INDEX CONCURRENTLY IF EXISTS refunds_by_dispute;
CREATE INDEX CONCURRENTLY refunds_by_dispute ON refunds (dispute_id) WHERE dispute_id IS NOT NULL;

-- A dispute changes as it is answered and closed. What is released was blocked and is not returned; a dispute
-- that was won holds nothing back.
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
CREATE OR REPLACE TRIGGER disputes_transition BEFORE UPDATE ON disputes FOR EACH ROW EXECUTE FUNCTION disputes_transition();

-- A refund takes from blocked money what a dispute of its payment has left there, and keeps its dispute.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refunds_of_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE d disputes;
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.dispute_id IS NOT DISTINCT FROM OLD.dispute_id THEN
        RETURN NULL;
    END IF;
    SELECT * INTO d FROM disputes WHERE id = NEW.dispute_id FOR NO KEY UPDATE;
    IF TG_OP = 'UPDATE' OR d.payment_id IS DISTINCT FROM NEW.payment_id OR NEW.origin <> 'DISPUTE'
        OR (SELECT sum(from_blocked) FROM refunds WHERE dispute_id = d.id) > d.blocked - d.released THEN
        RAISE EXCEPTION 'the dispute has not as much blocked' USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_of_dispute';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER refunds_of_dispute AFTER INSERT OR UPDATE ON refunds
    FOR EACH ROW WHEN (NEW.dispute_id IS NOT NULL OR NEW.from_blocked > 0) EXECUTE FUNCTION refunds_of_dispute();

-- The first of some books that holds less than nothing. Available money may be below zero by what refunds
-- were short, and disputes, less what they released.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_overdrawn(books text[]) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT b.book FROM unnest(books) AS b (book)
    LEFT JOIN LATERAL (SELECT * FROM ledger_snapshots WHERE account_id = split_part(b.book, '/', 1)
        AND livemode = (split_part(b.book, '/', 2) = 'live') ORDER BY through_id DESC LIMIT 1) s ON true
    WHERE coalesce(CASE split_part(b.book, '/', 3) WHEN 'available' THEN s.available WHEN 'reserved' THEN s.reserved ELSE s.blocked END, 0)
        + (SELECT coalesce(sum(m.amount), 0) FROM ledger_moved(b.book, coalesce(s.through_id, 0), 9223372036854775807) m)
        + CASE WHEN b.book LIKE '%/available' THEN (SELECT coalesce(sum(r.short), 0) FROM refunds r
            WHERE r.account_id = split_part(b.book, '/', 1) AND r.livemode = (split_part(b.book, '/', 2) = 'live')
                AND r.short > 0 AND r.status <> 'FAILED') + (SELECT coalesce(sum(greatest(d.short - d.released, 0)), 0) FROM disputes d
            WHERE d.account_id = split_part(b.book, '/', 1) AND d.livemode = (split_part(b.book, '/', 2) = 'live')
                AND d.short > 0) ELSE 0 END < 0
    LIMIT 1
$$;
-- +goose StatementEnd

-- When the disputes of a bank account were read, by the gateway's clock.
ALTER TABLE bank_sweeps ADD COLUMN IF NOT EXISTS disputes_read_at timestamptz;

-- +goose Down
ALTER TABLE bank_sweeps DROP COLUMN disputes_read_at;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_overdrawn(books text[]) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT b.book FROM unnest(books) AS b (book)
    LEFT JOIN LATERAL (SELECT * FROM ledger_snapshots WHERE account_id = split_part(b.book, '/', 1)
        AND livemode = (split_part(b.book, '/', 2) = 'live') ORDER BY through_id DESC LIMIT 1) s ON true
    WHERE coalesce(CASE split_part(b.book, '/', 3) WHEN 'available' THEN s.available WHEN 'reserved' THEN s.reserved ELSE s.blocked END, 0)
        + (SELECT coalesce(sum(m.amount), 0) FROM ledger_moved(b.book, coalesce(s.through_id, 0), 9223372036854775807) m)
        + CASE WHEN b.book LIKE '%/available' THEN (SELECT coalesce(sum(r.short), 0) FROM refunds r
            WHERE r.account_id = split_part(b.book, '/', 1) AND r.livemode = (split_part(b.book, '/', 2) = 'live')
                AND r.short > 0 AND r.status <> 'FAILED') ELSE 0 END < 0
    LIMIT 1
$$;
-- +goose StatementEnd
DROP TRIGGER refunds_of_dispute ON refunds;
DROP FUNCTION refunds_of_dispute;
ALTER TABLE refunds DROP COLUMN dispute_id;
DROP TABLE dispute_files, disputes;
DROP FUNCTION disputes_transition;
