-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00054: older programs write refunds that are done, from available money

-- A refund is asked of the bank, or found there. Its amount came from the pending and the blocked money of
-- the account, and the rest from the available money, which may fall below zero for it, by what it is short.
ALTER TABLE refunds ADD COLUMN IF NOT EXISTS status text NOT NULL DEFAULT 'COMPLETED',
    ADD COLUMN IF NOT EXISTS origin text NOT NULL DEFAULT 'STAFF',
    ADD COLUMN IF NOT EXISTS from_pending bigint NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS from_blocked bigint NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS back_to_pending bigint NOT NULL DEFAULT 0, -- of one that failed before the settlement
    ADD COLUMN IF NOT EXISTS short bigint NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS bank_return_id text, -- its id in its Pix at the bank
    ADD COLUMN IF NOT EXISTS failure text NOT NULL DEFAULT '', -- in the bank's words
    ADD COLUMN IF NOT EXISTS tries integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS next_try_at timestamptz, -- null: the bank need not be asked
    ADD COLUMN IF NOT EXISTS ended_at timestamptz; -- null also for refunds older than this column
ALTER TABLE refunds ALTER COLUMN created_by DROP NOT NULL;
ALTER TABLE refunds DROP CONSTRAINT IF EXISTS refunds_status,
    ADD CONSTRAINT refunds_status CHECK (status IN ('REQUESTED', 'PROCESSING', 'COMPLETED', 'FAILED')
        AND (ended_at IS NULL OR status IN ('COMPLETED', 'FAILED')) AND (next_try_at IS NOT NULL) = (status IN ('REQUESTED', 'PROCESSING'))) NOT VALID;
ALTER TABLE refunds VALIDATE CONSTRAINT refunds_status;
ALTER TABLE refunds DROP CONSTRAINT IF EXISTS refunds_origin,
    ADD CONSTRAINT refunds_origin CHECK (origin IN ('MEMBER', 'STAFF', 'API', 'BANK', 'DISPUTE')
        AND (created_by IS NOT NULL OR origin IN ('API', 'BANK', 'DISPUTE'))) NOT VALID;
ALTER TABLE refunds VALIDATE CONSTRAINT refunds_origin;
ALTER TABLE refunds DROP CONSTRAINT IF EXISTS refunds_from,
    ADD CONSTRAINT refunds_from CHECK (least(from_pending, from_blocked, short) >= 0
        AND from_pending + from_blocked + short <= amount
        AND back_to_pending BETWEEN 0 AND from_pending AND (back_to_pending = 0 OR status = 'FAILED')) NOT VALID;
ALTER TABLE refunds VALIDATE CONSTRAINT refunds_from;
ALTER TABLE refunds DROP CONSTRAINT IF EXISTS refunds_failure,
    ADD CONSTRAINT refunds_failure CHECK (char_length(failure) <= 200) NOT VALID;
ALTER TABLE refunds VALIDATE CONSTRAINT refunds_failure;
DROP INDEX CONCURRENTLY IF EXISTS refunds_bank_return_once;
CREATE UNIQUE INDEX CONCURRENTLY refunds_bank_return_once ON refunds (payment_id, bank_return_id);
DROP INDEX CONCURRENTLY IF EXISTS refunds_due;
CREATE INDEX CONCURRENTLY refunds_due ON refunds (next_try_at) WHERE next_try_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS refunds_short;
CREATE INDEX CONCURRENTLY refunds_short ON refunds (account_id, livemode) WHERE short > 0;
DROP INDEX CONCURRENTLY IF EXISTS refunds_by_end;
CREATE INDEX CONCURRENTLY refunds_by_end ON refunds (ended_at);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refunds_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.payment_id, NEW.account_id, NEW.livemode, NEW.amount, NEW.origin, NEW.created_by, NEW.created_at,
            NEW.from_pending, NEW.from_blocked, NEW.short)
        IS DISTINCT FROM (OLD.id, OLD.payment_id, OLD.account_id, OLD.livemode, OLD.amount, OLD.origin, OLD.created_by, OLD.created_at,
            OLD.from_pending, OLD.from_blocked, OLD.short)
        OR NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (('REQUESTED', 'PROCESSING'), ('REQUESTED', 'COMPLETED'),
            ('REQUESTED', 'FAILED'), ('PROCESSING', 'COMPLETED'), ('PROCESSING', 'FAILED')) THEN
        RAISE EXCEPTION 'a refund goes from % to % or becomes another', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_transition';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER refunds_transition BEFORE UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION refunds_transition();

-- Refunds that failed give nothing back. What comes from pending money is what the payment left there, and
-- its checkout is not settled: changing its row makes a settlement wait, or fail at REPEATABLE READ.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refunds_within_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    paid    payments;
    settled boolean;
BEGIN
    SELECT * INTO paid FROM payments WHERE id = NEW.payment_id FOR NO KEY UPDATE;
    IF (SELECT sum(amount) FROM refunds WHERE payment_id = NEW.payment_id AND status <> 'FAILED') > paid.amount THEN
        RAISE EXCEPTION 'more would go back than was paid' USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_within_payment';
    END IF;
    IF TG_OP = 'INSERT' AND NEW.from_pending > 0 OR TG_OP = 'UPDATE' AND NEW.back_to_pending <> OLD.back_to_pending THEN
        UPDATE checkouts SET settles_at = settles_at WHERE id = paid.checkout_id RETURNING settlement_status <> 'PENDING' INTO settled;
        IF settled IS DISTINCT FROM false OR NOT paid.settles
            OR (SELECT sum(from_pending - back_to_pending) FROM refunds WHERE payment_id = NEW.payment_id) > paid.amount - paid.fee THEN
            RAISE EXCEPTION 'the payment has not as much pending' USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_pending';
        END IF;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- The first fact that takes more from a pending book than the payment of its checkout left there. A refund
-- takes what its row says.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_unbacked(facts text[], books text[], amounts bigint[], alone boolean[]) RETURNS text
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
    SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (SELECT t.fact FROM unnest(facts, books, amounts, alone) AS t (fact, book, amount, alone)
        WHERE t.book LIKE '%/pending' AND NOT (t.alone AND starts_with(t.fact, 'settlement/') AND t.amount <= (
            SELECT sum(CASE t.book WHEN l.to_book THEN l.amount WHEN l.from_book THEN -l.amount END)
            FROM payments p JOIN ledger_transfers l ON l.fact = 'payment/' || p.id
            WHERE p.settles AND p.checkout_id = substr(t.fact, 12)) - (
            SELECT coalesce(sum(r.from_pending - r.back_to_pending), 0)
            FROM payments p JOIN refunds r ON r.payment_id = p.id
            WHERE p.settles AND p.checkout_id = substr(t.fact, 12))
        OR t.alone AND starts_with(t.fact, 'refund/') AND t.amount = (
            SELECT r.from_pending FROM refunds r
            WHERE r.id = substr(t.fact, 8) AND t.book = r.account_id || CASE WHEN r.livemode THEN '/live/pending' ELSE '/test/pending' END)
        ) IS TRUE
        LIMIT 1);
END $$;
-- +goose StatementEnd

-- The first of some books that holds less than nothing. Available money may be below zero by what refunds
-- were short.
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

-- A refund's event beside those of its checkout.
ALTER TABLE events ADD COLUMN IF NOT EXISTS refund_id text;
ALTER TABLE events DROP CONSTRAINT IF EXISTS events_refund_id_fkey,
    ADD CONSTRAINT events_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds NOT VALID;
ALTER TABLE events VALIDATE CONSTRAINT events_refund_id_fkey;
DROP INDEX CONCURRENTLY IF EXISTS events_one_each_checkout;
CREATE UNIQUE INDEX CONCURRENTLY events_one_each_checkout ON events (checkout_id, type) WHERE refund_id IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS events_one_each_refund;
CREATE UNIQUE INDEX CONCURRENTLY events_one_each_refund ON events (refund_id, type) WHERE refund_id IS NOT NULL;
ALTER TABLE events DROP CONSTRAINT IF EXISTS events_one_each;

-- A key may refund only if a person has turned that on.
ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS refunds boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE api_keys DROP COLUMN refunds;
DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id FROM events WHERE refund_id IS NOT NULL);
DELETE FROM events WHERE refund_id IS NOT NULL;
DROP INDEX events_one_each_checkout, events_one_each_refund;
ALTER TABLE events DROP COLUMN refund_id, ADD CONSTRAINT events_one_each UNIQUE (checkout_id, type);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_unbacked(facts text[], books text[], amounts bigint[], alone boolean[]) RETURNS text
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
    SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (SELECT t.fact FROM unnest(facts, books, amounts, alone) AS t (fact, book, amount, alone)
        WHERE t.book LIKE '%/pending' AND NOT (t.alone AND starts_with(t.fact, 'settlement/') AND t.amount <= (
            SELECT sum(CASE t.book WHEN l.to_book THEN l.amount WHEN l.from_book THEN -l.amount END)
            FROM payments p JOIN ledger_transfers l ON l.fact = 'payment/' || p.id
            WHERE p.settles AND p.checkout_id = substr(t.fact, 12))) IS TRUE
        LIMIT 1);
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_overdrawn(books text[]) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT b.book FROM unnest(books) AS b (book)
    LEFT JOIN LATERAL (SELECT * FROM ledger_snapshots WHERE account_id = split_part(b.book, '/', 1)
        AND livemode = (split_part(b.book, '/', 2) = 'live') ORDER BY through_id DESC LIMIT 1) s ON true
    WHERE coalesce(CASE split_part(b.book, '/', 3) WHEN 'available' THEN s.available WHEN 'reserved' THEN s.reserved ELSE s.blocked END, 0)
        + (SELECT coalesce(sum(m.amount), 0) FROM ledger_moved(b.book, coalesce(s.through_id, 0), 9223372036854775807) m) < 0
    LIMIT 1
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refunds_within_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE paid bigint;
BEGIN
    SELECT amount INTO paid FROM payments WHERE id = NEW.payment_id FOR NO KEY UPDATE;
    IF (SELECT sum(amount) FROM refunds WHERE payment_id = NEW.payment_id) > paid THEN
        RAISE EXCEPTION 'more would go back than was paid' USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_within_payment';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER refunds_transition ON refunds;
DROP FUNCTION refunds_transition;
ALTER TABLE refunds DROP COLUMN status, DROP COLUMN origin, DROP COLUMN from_pending, DROP COLUMN from_blocked,
    DROP COLUMN back_to_pending, DROP COLUMN short, DROP COLUMN bank_return_id, DROP COLUMN failure, DROP COLUMN tries,
    DROP COLUMN next_try_at, DROP COLUMN ended_at;
