-- +goose Up
-- compatible with 00094: the same functions, which read fewer entries

-- A scan of pairs (book, id) between two bounds begins at the first, but does not end at the second: PostgreSQL ends a
-- scan only by the first column of a pair. So each sum over a range read all later entries of its book. Plain conditions
-- would end it, but let the planner take the index of ids, with the transfers of all books. So a loop ends it.
-- +goose StatementBegin
CREATE FUNCTION ledger_entries(of_book text, after_id bigint, until_id bigint)
RETURNS TABLE (id bigint, other text, amount bigint)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0
    SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT l.to_book AS book, l.id, l.from_book AS other, l.amount FROM ledger_transfers l
            WHERE (l.to_book, l.id) > (of_book, after_id) ORDER BY l.to_book, l.id LOOP
        EXIT WHEN t.book <> of_book OR t.id > until_id;
        id := t.id; other := t.other; amount := t.amount;
        RETURN NEXT;
    END LOOP;
    FOR t IN SELECT l.from_book AS book, l.id, l.to_book AS other, l.amount FROM ledger_transfers l
            WHERE (l.from_book, l.id) > (of_book, after_id) ORDER BY l.from_book, l.id LOOP
        EXIT WHEN t.book <> of_book OR t.id > until_id;
        id := t.id; other := t.other; amount := -t.amount;
        RETURN NEXT;
    END LOOP;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_moved(of_book text, after_id bigint, until_id bigint)
RETURNS TABLE (other text, amount bigint)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0
    SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF until_id < 9223372036854775807 THEN
        RETURN QUERY SELECT m.other, sum(m.amount)::bigint FROM ledger_entries(of_book, after_id, until_id) m
            GROUP BY m.other;
        RETURN;
    END IF;
    RETURN QUERY SELECT m.other, sum(m.amount)::bigint FROM (
        SELECT t.from_book AS other, t.amount FROM ledger_transfers t
        WHERE (t.to_book, t.id) > (of_book, after_id) AND (t.to_book, t.id) <= (of_book, until_id)
        UNION ALL
        SELECT t.to_book, -t.amount FROM ledger_transfers t
        WHERE (t.from_book, t.id) > (of_book, after_id) AND (t.from_book, t.id) <= (of_book, until_id)) m
    GROUP BY m.other;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_changes(of_book text, after_id bigint, until_id bigint)
RETURNS TABLE (id bigint, amount bigint)
LANGUAGE sql STABLE AS $$
    SELECT e.id, e.amount FROM ledger_entries(of_book, after_id, until_id) e
$$;
-- +goose StatementEnd

-- The newest lines of a book in a range of ids (between both), that it received or gave, recorded from one time to before
-- another, at most a number: those whose other book is among some, or is not. A range without a bound has none.
-- +goose StatementBegin
CREATE FUNCTION ledger_lines(of_book text, incoming boolean, low bigint, high bigint, since timestamptz,
    until timestamptz, others text[], among boolean, most bigint)
RETURNS SETOF ledger_transfers
LANGUAGE plpgsql STABLE STRICT SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0
    SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    t ledger_transfers;
    found bigint := 0;
BEGIN
    IF incoming THEN
        FOR t IN SELECT * FROM ledger_transfers l WHERE (l.to_book, l.id) < (of_book, high)
                ORDER BY l.to_book DESC, l.id DESC LOOP
            EXIT WHEN t.to_book <> of_book OR t.id <= low OR found >= most;
            CONTINUE WHEN t.recorded_at < since OR t.recorded_at >= until OR (t.from_book = ANY (others)) <> among;
            found := found + 1;
            RETURN NEXT t;
        END LOOP;
    ELSE
        FOR t IN SELECT * FROM ledger_transfers l WHERE (l.from_book, l.id) < (of_book, high)
                ORDER BY l.from_book DESC, l.id DESC LOOP
            EXIT WHEN t.from_book <> of_book OR t.id <= low OR found >= most;
            CONTINUE WHEN t.recorded_at < since OR t.recorded_at >= until OR (t.to_book = ANY (others)) <> among;
            found := found + 1;
            RETURN NEXT t;
        END LOOP;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_moved(of_book text, after_id bigint, until_id bigint)
RETURNS TABLE (other text, amount bigint)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0
    SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY SELECT m.other, sum(m.amount)::bigint FROM (
        SELECT t.from_book AS other, t.amount FROM ledger_transfers t
        WHERE (t.to_book, t.id) > (of_book, after_id) AND (t.to_book, t.id) <= (of_book, until_id)
        UNION ALL
        SELECT t.to_book, -t.amount FROM ledger_transfers t
        WHERE (t.from_book, t.id) > (of_book, after_id) AND (t.from_book, t.id) <= (of_book, until_id)) m
    GROUP BY m.other;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_changes(of_book text, after_id bigint, until_id bigint)
RETURNS TABLE (id bigint, amount bigint)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0
    SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY SELECT t.id, t.amount FROM ledger_transfers t
        WHERE (t.to_book, t.id) > (of_book, after_id) AND (t.to_book, t.id) <= (of_book, until_id)
        UNION ALL
        SELECT t.id, -t.amount FROM ledger_transfers t
        WHERE (t.from_book, t.id) > (of_book, after_id) AND (t.from_book, t.id) <= (of_book, until_id);
END $$;
-- +goose StatementEnd
DROP FUNCTION ledger_entries(text, bigint, bigint);
DROP FUNCTION ledger_lines(text, boolean, bigint, bigint, timestamptz, timestamptz, text[], boolean, bigint);
