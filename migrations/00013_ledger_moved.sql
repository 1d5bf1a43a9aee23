-- +goose Up

-- What a book got from each other book, less what it gave, in the transfers after
-- one id and up to another. The planner cannot know that there are few between two
-- ids that it is told later: for an account that has many it would read the whole
-- table, or the transfers of everybody since the id. So here it may use nothing but
-- the indexes by book and id, which alone compare pairs.
-- +goose StatementBegin
CREATE FUNCTION ledger_moved(of_book text, after_id bigint, until_id bigint) RETURNS TABLE (other text, amount bigint)
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

-- +goose Down
DROP FUNCTION ledger_moved;
