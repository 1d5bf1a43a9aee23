-- +goose Up

-- As before, with its plan made once for each session. The planner believes that half
-- of an account's transfers may lie between two ids. In a large table it therefore
-- started parallel workers for each of the four books, and compiled, at every reading
-- of a balance, for the few rows since the last snapshot.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_moved(of_book text, after_id bigint, until_id bigint) RETURNS TABLE (other text, amount bigint)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 SET jit = off
    SET plan_cache_mode = force_generic_plan AS $$
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

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_moved(of_book text, after_id bigint, until_id bigint) RETURNS TABLE (other text, amount bigint)
LANGUAGE sql STABLE SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT m.other, sum(m.amount)::bigint FROM (
        SELECT t.from_book AS other, t.amount FROM ledger_transfers t
        WHERE (t.to_book, t.id) > (of_book, after_id) AND (t.to_book, t.id) <= (of_book, until_id)
        UNION ALL
        SELECT t.to_book, -t.amount FROM ledger_transfers t
        WHERE (t.from_book, t.id) > (of_book, after_id) AND (t.from_book, t.id) <= (of_book, until_id)) m
    GROUP BY m.other
$$;
-- +goose StatementEnd
