-- +goose Up
-- compatible with 00062: the names of tables and columns stay, and older programs write the default of month

-- Events, their deliveries and the attempts lie in a table for each month, so that what is over is dropped and not
-- deleted row by row. What was there becomes one of these tables, "before".
--
-- Transactions write what events are about before they write events, so this locks tables in that order. Programs
-- wait half a second for a lock, so it gives up long before that, and is tried again.
SET LOCAL lock_timeout = '50ms';
-- locks: for the few milliseconds of this file, which reads no row
LOCK TABLE projects, checkouts, withdrawals, refunds, webhook_endpoints IN SHARE ROW EXCLUSIVE MODE;
-- locks: likewise
LOCK TABLE events, webhook_deliveries, webhook_attempts, webhook_resends IN ACCESS EXCLUSIVE MODE;
ALTER TABLE events RENAME TO events_before;
ALTER TABLE webhook_deliveries RENAME TO webhook_deliveries_before;
ALTER TABLE webhook_attempts RENAME TO webhook_attempts_before;
ALTER INDEX events_by_epoch RENAME TO events_before_by_epoch;
ALTER INDEX events_by_page RENAME TO events_before_by_page;
ALTER INDEX events_by_type RENAME TO events_before_by_type;
ALTER INDEX events_refunds_by_checkout RENAME TO events_before_refunds_by_checkout;
ALTER INDEX webhook_deliveries_by_endpoint RENAME TO webhook_deliveries_before_by_endpoint;
ALTER INDEX webhook_deliveries_due RENAME TO webhook_deliveries_before_due;
ALTER INDEX webhook_deliveries_undelivered RENAME TO webhook_deliveries_before_undelivered;

-- Each month has the foreign keys and unique keys: one of the whole would lock what it refers to for a longer time.
CREATE TABLE events (LIKE events_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (month);
ALTER TABLE events DROP CONSTRAINT events_before;
CREATE INDEX events_by_epoch ON events (project_id, epoch, tx) WHERE NOT livemode;
CREATE INDEX events_by_page ON events (project_id, livemode, created_at DESC, id DESC);
CREATE INDEX events_by_type ON events (project_id, livemode, type, created_at DESC, id DESC)
    WHERE type NOT IN ('checkout.created', 'checkout.paid');
CREATE INDEX events_refunds_by_checkout ON events (checkout_id) WHERE refund_id IS NOT NULL;

CREATE TABLE webhook_deliveries (
    LIKE webhook_deliveries_before INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS
) PARTITION BY RANGE (month);
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_before;
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, priority, next_attempt_at)
    WHERE status = 'PENDING';
CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries (endpoint_id, created_at DESC, event_id DESC)
    WHERE undelivered;

CREATE TABLE webhook_attempts (LIKE webhook_attempts_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
    PARTITION BY RANGE (month);
ALTER TABLE webhook_attempts DROP CONSTRAINT webhook_attempts_before;

-- Programs that do not know the column write attempts of any month into the table of the default.
ALTER TABLE webhook_attempts_before DROP CONSTRAINT webhook_attempts_delivery_id_fkey;
-- A resend is of a delivery of any month, and ends before that month is dropped.
ALTER TABLE webhook_resends DROP CONSTRAINT webhook_resends_delivery_id_fkey;

ALTER TABLE events ATTACH PARTITION events_before FOR VALUES FROM (MINVALUE) TO ('2026-11-01');
ALTER TABLE webhook_deliveries ATTACH PARTITION webhook_deliveries_before
    FOR VALUES FROM (MINVALUE) TO ('2026-11-01');
ALTER TABLE webhook_attempts ATTACH PARTITION webhook_attempts_before FOR VALUES FROM (MINVALUE) TO ('2026-11-01');

-- The beginnings of answers to attempts, which end sooner than the attempts. Empty answers have no row.
CREATE TABLE webhook_answers (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    started_at timestamptz NOT NULL, -- of the attempt
    body bytea NOT NULL,
    PRIMARY KEY (delivery_id, number, started_at)
) PARTITION BY RANGE (started_at);
CREATE TABLE webhook_answers_other PARTITION OF webhook_answers DEFAULT;

-- +goose StatementBegin
CREATE FUNCTION make_event_tables(suffix text) RETURNS void LANGUAGE plpgsql
    SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('CREATE TABLE %1$I (LIKE events INCLUDING ALL, PRIMARY KEY (id),
        CONSTRAINT events_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts,
        CONSTRAINT events_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects,
        CONSTRAINT events_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds,
        CONSTRAINT events_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals,
        CONSTRAINT %2$I UNIQUE (withdrawal_id, project_id, type))', 'events_' || suffix,
        'events_one_each_withdrawal_' || suffix);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (checkout_id, type) WHERE refund_id IS NULL',
        'events_one_each_checkout_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (refund_id, type) WHERE refund_id IS NOT NULL',
        'events_one_each_refund_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE TABLE %1$I (LIKE webhook_deliveries INCLUDING ALL, PRIMARY KEY (id),
        CONSTRAINT %2$I UNIQUE (event_id, endpoint_id),
        CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints,
        CONSTRAINT webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES %3$I (id)
        ) WITH (fillfactor = 45)',
        'webhook_deliveries_' || suffix, 'webhook_deliveries_once_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE TABLE %I (LIKE webhook_attempts INCLUDING ALL, PRIMARY KEY (delivery_id, number))',
        'webhook_attempts_' || suffix);
END $$;
-- +goose StatementEnd

-- What belongs to no month that has a table, because a program wrote it when the month had none, or none any more.
SELECT make_event_tables('other');
ALTER TABLE events ATTACH PARTITION events_other DEFAULT;
ALTER TABLE webhook_deliveries ATTACH PARTITION webhook_deliveries_other DEFAULT;
ALTER TABLE webhook_attempts ATTACH PARTITION webhook_attempts_other DEFAULT;

-- +goose StatementBegin
-- make_event_month makes the tables of a month, given by its first day, and reports whether it did. If the month has
-- rows already, they and those to come stay in "other". A role that uses the tables may call it without owning them.
-- locks: the foreign key is that of an empty table, which the function has just made
CREATE FUNCTION make_event_month(first date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT SET lock_timeout = '50ms' AS $$
DECLARE
    suffix text := to_char(first, 'YYYY_MM');
    after date := first + interval '1 month';
BEGIN
    IF first <> date_trunc('month', first) THEN
        RAISE EXCEPTION '% is not the first day of a month', first;
    END IF;
    IF to_regclass('events_' || suffix) IS NOT NULL THEN
        RETURN false;
    END IF;
    LOCK TABLE projects, checkouts, withdrawals, refunds, webhook_endpoints IN SHARE ROW EXCLUSIVE MODE;
    LOCK TABLE events_other, webhook_deliveries_other, webhook_attempts_other, webhook_answers_other
        IN ACCESS EXCLUSIVE MODE;
    IF to_regclass('events_' || suffix) IS NOT NULL -- made while this waited
        OR EXISTS (SELECT FROM events_other WHERE month >= first AND month < after)
        OR EXISTS (SELECT FROM webhook_attempts_other WHERE month >= first AND month < after)
        OR EXISTS (SELECT FROM webhook_answers_other
            WHERE started_at >= first::timestamp AT TIME ZONE 'UTC'
                AND started_at < after::timestamp AT TIME ZONE 'UTC')
    THEN
        RETURN false;
    END IF;
    PERFORM make_event_tables(suffix);
    EXECUTE format('ALTER TABLE %I ADD FOREIGN KEY (delivery_id) REFERENCES %I (id)', 'webhook_attempts_' || suffix,
        'webhook_deliveries_' || suffix);
    EXECUTE format('CREATE TABLE %I (LIKE webhook_answers INCLUDING ALL)', 'webhook_answers_' || suffix);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', 'events_' || suffix,
        first, after);
    EXECUTE format('ALTER TABLE webhook_deliveries ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        'webhook_deliveries_' || suffix, first, after);
    EXECUTE format('ALTER TABLE webhook_attempts ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        'webhook_attempts_' || suffix, first, after);
    EXECUTE format('ALTER TABLE webhook_answers ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        'webhook_answers_' || suffix, first::timestamp AT TIME ZONE 'UTC', after::timestamp AT TIME ZONE 'UTC');
    RETURN true;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
-- drop_event_month drops the events, deliveries and attempts in the tables with a suffix, and reports whether it did:
-- not if an event was created at the time or later, or if a delivery or resend is still to be made.
CREATE FUNCTION drop_event_month(suffix text, since timestamptz) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT SET lock_timeout = '50ms' AS $$
DECLARE
    to_deliver text := format('SELECT EXISTS (SELECT FROM %1$I WHERE status = ''PENDING'') OR EXISTS (
        SELECT FROM webhook_resends r JOIN %1$I d ON d.id = r.delivery_id WHERE r.finished_at IS NULL)',
        'webhook_deliveries_' || suffix);
    needed boolean;
BEGIN
    IF suffix !~ '^(before|[0-9]{4}_[0-9]{2})$' OR to_regclass('events_' || suffix) IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE to_deliver INTO needed;
    IF needed THEN
        RETURN false;
    END IF;
    -- No event is added to the month from here on, so that the longest look needs no other lock.
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', 'events_' || suffix);
    EXECUTE format('SELECT EXISTS (SELECT FROM projects p WHERE EXISTS (
            SELECT FROM %1$I v WHERE v.project_id = p.id AND v.livemode AND v.created_at >= $1)
        OR EXISTS (SELECT FROM %1$I v WHERE v.project_id = p.id AND NOT v.livemode AND v.created_at >= $1))',
        'events_' || suffix) INTO needed USING since;
    IF needed THEN
        RETURN false;
    END IF;
    LOCK TABLE projects, checkouts, withdrawals, refunds, webhook_endpoints IN ACCESS EXCLUSIVE MODE;
    LOCK TABLE events, webhook_deliveries, webhook_attempts, webhook_resends IN ACCESS EXCLUSIVE MODE;
    EXECUTE to_deliver INTO needed; -- asked for meanwhile
    IF needed THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE %I, %I, %I', 'webhook_attempts_' || suffix, 'webhook_deliveries_' || suffix,
        'events_' || suffix);
    RETURN true;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
-- drop_answer_month drops the beginnings of answers in the table with a suffix.
CREATE FUNCTION drop_answer_month(suffix text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT SET lock_timeout = '50ms' AS $$
BEGIN
    IF suffix ~ '^[0-9]{4}_[0-9]{2}$' THEN
        EXECUTE format('DROP TABLE IF EXISTS %I', 'webhook_answers_' || suffix);
    END IF;
END $$;
-- +goose StatementEnd

-- With the rights of the owner, these are for the role that the program serves as (docs/roles.sql), and for no other.
REVOKE EXECUTE ON FUNCTION make_event_tables(text), make_event_month(date), drop_event_month(text, timestamptz),
    drop_answer_month(text) FROM PUBLIC;

-- +goose Down
-- +goose StatementBegin
DO $$ BEGIN
    RAISE EXCEPTION 'rows of several months do not go back into one table: restore a backup';
END $$;
-- +goose StatementEnd
