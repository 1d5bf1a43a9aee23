-- +goose Up
-- compatible with 00094: the names of tables, columns and the sequence stay; what older programs delete is deleted

-- Calls of the API lie in a table for each week, so that what is over is dropped and not deleted row by row. The
-- tables are ranges of ids: those of a week begin at its first day, counted from 1970, times a hundred billion, and
-- the sequence is moved there when the week begins (docs/decisions/0089). So ids stay unique and in the order of
-- writing, a call is found in one table by its id, and a list reads the tables one after the other. If no one moves
-- the sequence, calls go into the table of the week before. What was there becomes one of the tables, "before".
SET LOCAL lock_timeout = '50ms'; -- as in 00071
-- locks: for the few milliseconds of this file, which reads no row
LOCK TABLE api_requests IN ACCESS EXCLUSIVE MODE;
ALTER TABLE api_requests RENAME TO api_requests_before;
ALTER TABLE api_requests_before RENAME CONSTRAINT api_requests_pkey TO api_requests_before_pkey;
ALTER INDEX api_requests_by_page RENAME TO api_requests_before_by_page;
ALTER INDEX api_requests_failed RENAME TO api_requests_before_failed;
ALTER INDEX api_requests_broken RENAME TO api_requests_before_broken;
ALTER INDEX api_requests_by_request_id RENAME TO api_requests_before_by_request_id;
ALTER INDEX api_requests_by_object RENAME TO api_requests_before_by_object;
ALTER INDEX api_requests_by_time RENAME TO api_requests_before_by_time;
ALTER SEQUENCE api_requests_id_seq RENAME TO api_requests_before_id_seq;

CREATE TABLE api_requests (LIKE api_requests_before INCLUDING DEFAULTS, CONSTRAINT api_requests_pkey PRIMARY KEY (id))
    PARTITION BY RANGE (id);
ALTER TABLE api_requests ALTER id ADD GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME api_requests_id_seq);
SELECT setval('api_requests_id_seq', last_value, is_called) FROM api_requests_before_id_seq;
ALTER TABLE api_requests_before ALTER id DROP IDENTITY;
CREATE INDEX api_requests_by_page ON api_requests (project_id, livemode, id DESC);
CREATE INDEX api_requests_failed ON api_requests (project_id, livemode, id DESC) WHERE status >= 400;
CREATE INDEX api_requests_broken ON api_requests (project_id, livemode, id DESC) WHERE status >= 500;
CREATE INDEX api_requests_by_request_id ON api_requests (request_id);
CREATE INDEX api_requests_by_object ON api_requests (object_id, id DESC) WHERE object_id <> '';
CREATE INDEX api_requests_by_time ON api_requests USING brin (at);
COMMENT ON INDEX api_requests_pkey IS 'a call by its number';
COMMENT ON INDEX api_requests_by_page IS 'the list of calls';
COMMENT ON INDEX api_requests_by_request_id IS 'searches by the Request-Id';
COMMENT ON INDEX api_requests_by_object IS 'the calls about a charge, link or withdrawal';
COMMENT ON INDEX api_requests_by_time IS 'the calls of a period: how many, and whether a week can go';
COMMENT ON INDEX api_requests_failed IS 'the list of failed calls; not of others';
COMMENT ON INDEX api_requests_broken IS 'the list of our own errors; not of other calls';
ALTER TABLE api_requests ATTACH PARTITION api_requests_before FOR VALUES FROM (MINVALUE) TO (1000000000000000);
ALTER TABLE api_requests_before DROP CONSTRAINT api_requests_before;

-- +goose StatementBegin
-- first_id_from returns the first id of rows that are written from a day on, in the tables that are ranges of ids.
CREATE FUNCTION first_id_from(day date) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT (day - date '1970-01-01') * 100000000000::bigint $$;
-- +goose StatementEnd

-- +goose StatementBegin
-- make_call_week makes the table of the calls of a week, given by its Monday, and moves the ids there if begins says
-- that the week has begun. It does nothing if either is done, if ids are further on, or if the week is far ahead by
-- the clock of the database. No transaction waits for it. A role that uses the table may call it without owning it.
CREATE FUNCTION make_call_week(first date, begins boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp SET lock_timeout = '50ms' AS $$
DECLARE
    name text := 'api_requests_' || to_char(first, 'YYYY_MM_DD');
    low bigint := first_id_from(first);
    after bigint := first_id_from(first + 7);
BEGIN
    IF extract(isodow FROM first) <> 1 THEN
        RAISE EXCEPTION '% is not a Monday', first;
    END IF;
    IF first > current_date + 40 OR (SELECT last_value FROM api_requests_id_seq) >= low THEN
        RETURN;
    END IF;
    LOCK TABLE ONLY api_requests IN SHARE UPDATE EXCLUSIVE MODE; -- one caller at a time
    IF to_regclass(name) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE api_requests INCLUDING ALL EXCLUDING IDENTITY)', name);
        EXECUTE format('ALTER TABLE api_requests ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', name, low, after);
    END IF;
    IF begins AND (SELECT last_value FROM api_requests_id_seq) < low THEN
        PERFORM setval('api_requests_id_seq', low);
    END IF;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
-- drop_call_week drops the calls in the table with a suffix, and reports whether it did: not if a call is of the time
-- or later, or if calls are still written there.
CREATE FUNCTION drop_call_week(suffix text, since timestamptz) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp SET lock_timeout = '50ms' SET enable_seqscan = off AS $$
DECLARE
    name text := 'api_requests_' || suffix;
    needed boolean;
BEGIN
    IF suffix !~ '^(before|[0-9]{4}_[0-9]{2}_[0-9]{2})$' OR to_regclass(name) IS NULL
        OR (SELECT last_value FROM api_requests_id_seq) < (CASE suffix WHEN 'before' THEN 1000000000000000
            ELSE first_id_from(to_date(suffix, 'YYYY_MM_DD') + 7) END)
    THEN
        RETURN false;
    END IF;
    -- What took an id before the week was over has ended when this lock is there. The times are in api_requests_by_time.
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', name);
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE at >= $1)', name) INTO needed USING since;
    IF needed THEN
        RETURN false;
    END IF;
    LOCK TABLE ONLY api_requests IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('DROP TABLE %I', name);
    RETURN true;
END $$;
-- +goose StatementEnd

-- With the rights of the owner, these are for the role that the program serves as (docs/roles.sql), and for no other.
REVOKE EXECUTE ON FUNCTION make_call_week(date, boolean), drop_call_week(text, timestamptz) FROM PUBLIC;

-- +goose Down
-- +goose StatementBegin
DO $$ BEGIN
    RAISE EXCEPTION 'rows of several weeks do not go back into one table: restore a backup';
END $$;
-- +goose StatementEnd
