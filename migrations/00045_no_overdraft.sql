-- +goose Up

-- The database itself keeps every book of an account at or above zero, whatever the
-- program, the isolation level or the order of two sessions (decision 0045). Locks are
-- taken in the order in which a payment takes them.

-- A checkout's settlement is what was posted for it.
-- +goose StatementBegin
CREATE FUNCTION checkouts_settle_posted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.settlement_amount IS DISTINCT FROM (SELECT coalesce(sum(amount), 0) FROM ledger_transfers
        WHERE fact = 'settlement/' || NEW.id AND to_book LIKE '%/available') THEN
        RAISE EXCEPTION 'the settlement of % was not posted', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'checkouts_settle_posted';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER checkouts_settle_posted AFTER UPDATE ON checkouts FOR EACH ROW
    WHEN (OLD.settlement_status = 'PENDING' AND NEW.settlement_status <> 'PENDING') EXECUTE FUNCTION checkouts_settle_posted();

-- A payment backs the settlement of its checkout, so it never changes.
CREATE TRIGGER payments_final BEFORE UPDATE OR DELETE OR TRUNCATE ON payments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Every spending counts up its account's row. Counting takes the row's lock, and fails
-- where a transaction reads from before another spending (REPEATABLE READ and above).
ALTER TABLE account_books ADD COLUMN spendings bigint NOT NULL DEFAULT 0;
CREATE TRIGGER account_books_stay BEFORE DELETE OR TRUNCATE ON account_books FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_books_stay_theirs BEFORE UPDATE ON account_books FOR EACH ROW
    WHEN ((OLD.account_id, OLD.livemode) IS DISTINCT FROM (NEW.account_id, NEW.livemode)) EXECUTE FUNCTION refuse_change();

-- The first fact that takes more from a pending book than the payment of its checkout
-- left there. Settlements are line 0 of their fact, so each happens once.
-- +goose StatementBegin
CREATE FUNCTION ledger_unbacked(facts text[], books text[], amounts bigint[], alone boolean[]) RETURNS text
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

-- The first of some books that holds less than nothing.
-- +goose StatementBegin
CREATE FUNCTION ledger_overdrawn(books text[]) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT b.book FROM unnest(books) AS b (book)
    LEFT JOIN LATERAL (SELECT * FROM ledger_snapshots WHERE account_id = split_part(b.book, '/', 1)
        AND livemode = (split_part(b.book, '/', 2) = 'live') ORDER BY through_id DESC LIMIT 1) s ON true
    WHERE coalesce(CASE split_part(b.book, '/', 3) WHEN 'available' THEN s.available WHEN 'reserved' THEN s.reserved ELSE s.blocked END, 0)
        + (SELECT coalesce(sum(m.amount), 0) FROM ledger_moved(b.book, coalesce(s.through_id, 0), 9223372036854775807) m) < 0
    LIMIT 1
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION ledger_no_overdraft() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    facts   text[];
    books   text[];
    amounts bigint[];
    alone   boolean[];
    spent   text[];
    wrong   text;
    account record;
BEGIN
    -- What a fact gives a book covers what it takes from it: nothing of a payment is left.
    SELECT array_agg(fact), array_agg(book), array_agg(-net), array_agg(first), array_agg(DISTINCT book) FILTER (WHERE book NOT LIKE '%/pending')
        INTO facts, books, amounts, alone, spent
        FROM (SELECT fact, book, sum(amount) AS net, bool_and(line = 0) AS first FROM (
                SELECT fact, line, to_book AS book, amount FROM posted WHERE starts_with(to_book, 'acc_')
                UNION ALL
                SELECT fact, line, from_book, -amount FROM posted WHERE starts_with(from_book, 'acc_')) moved
            GROUP BY fact, book HAVING sum(amount) < 0) taken;
    IF facts IS NULL THEN
        RETURN NULL;
    END IF;
    wrong := ledger_unbacked(facts, books, amounts, alone);
    IF wrong IS NULL AND spent IS NOT NULL THEN
        FOR account IN SELECT DISTINCT split_part(book, '/', 1) AS id, split_part(book, '/', 2) = 'live' AS livemode
            FROM unnest(spent) AS book ORDER BY 1, 2 LOOP
            UPDATE account_books SET spendings = spendings + 1 WHERE account_id = account.id AND livemode = account.livemode;
            IF NOT FOUND THEN
                INSERT INTO account_books (account_id, livemode, spendings) VALUES (account.id, account.livemode, 1)
                    ON CONFLICT (account_id, livemode) DO UPDATE SET spendings = account_books.spendings + 1;
            END IF;
        END LOOP;
        wrong := ledger_overdrawn(spent); -- a later statement sees what those before have spent
        IF wrong IS NULL AND EXISTS (SELECT FROM posted WHERE id <= (SELECT max(through_id) FROM ledger_snapshots)) THEN
            wrong := 'an id that is over';
        END IF;
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'more is taken than is there: %', wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_no_overdraft', TABLE = 'ledger_transfers';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER ledger_no_overdraft AFTER INSERT ON ledger_transfers REFERENCING NEW TABLE AS posted
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_no_overdraft();

-- +goose Down
DROP TRIGGER ledger_no_overdraft ON ledger_transfers;
DROP TRIGGER account_books_stay_theirs ON account_books;
DROP TRIGGER account_books_stay ON account_books;
DROP TRIGGER payments_final ON payments;
DROP TRIGGER checkouts_settle_posted ON checkouts;
DROP FUNCTION ledger_no_overdraft, ledger_overdrawn, ledger_unbacked, checkouts_settle_posted;
ALTER TABLE account_books DROP COLUMN spendings;
