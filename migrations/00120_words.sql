-- +goose Up
-- compatible with 00094: older programs do not read the table, and what they write gets its words from a newer one

-- The text in small letters and without the accents of Portuguese, as searches compare it.
-- +goose StatementBegin
CREATE FUNCTION folded(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT translate(lower($1), 'áàâãäéèêëíìîïóòôõöúùûüçñ', 'aaaaaeeeeiiiiooooouuuucn')
$$;
-- +goose StatementEnd

-- The words of one project and environment, which begin with its mark in an index of all.
-- +goose StatementBegin
CREATE FUNCTION search_mark(project_id text, livemode boolean) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT left(md5(project_id || livemode), 8)
$$;
-- +goose StatementEnd

-- The query for what has a word that begins with a term.
-- +goose StatementBegin
CREATE FUNCTION search_query(project_id text, livemode boolean, term text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT ($q$'$q$ || replace(replace(search_mark(project_id, livemode) || left(folded(term), 40), $q$\$q$, $q$\\$q$),
    $q$'$q$, $q$''$q$) || $q$':*$q$)::tsquery
$$;
-- +goose StatementEnd

-- The words of the customers' names and of the merchants' ids of charges (docs/decisions/0073). A job writes them a
-- moment after the charge, so that creating one costs nothing more.
CREATE TABLE checkout_words (
    checkout_id text PRIMARY KEY,
    words tsvector NOT NULL
);
CREATE INDEX checkout_words_words ON checkout_words USING gin (words);

-- The words of a charge: what stands between spaces, and each of its parts that begins after punctuation marks, from
-- there to its end. "PED-2026-007" has ped-2026-007, 2026-007 and 007. A word has three to 40 characters. What stands
-- between spaces has at most five words, a charge at most 20.
-- +goose StatementBegin
CREATE FUNCTION checkout_vector(project_id text, livemode boolean, customer_name text, external_id text)
RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    mark text := search_mark(project_id, livemode);
    words text[] := '{}';
    rest text;
BEGIN
    FOREACH rest IN ARRAY regexp_split_to_array(folded(external_id || ' ' || coalesce(customer_name, '')), '\s+') LOOP
        FOR n IN 1..5 LOOP
            EXIT WHEN rest IS NULL OR length(rest) < 3 OR cardinality(words) >= 20;
            words := words || (mark || left(rest, 40));
            rest := substring(rest FROM '[!-/:-@\[-`{-~]+([^!-/:-@\[-`{-~].*)$');
        END LOOP;
    END LOOP;
    RETURN array_to_tsvector(words);
END
$$;
-- +goose StatementEnd

-- The charges created from since to before until have their words. NULL: none has them yet.
CREATE TABLE checkout_words_until (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    since timestamptz,
    until timestamptz,
    CHECK ((since IS NULL) = (until IS NULL) AND since <= until)
);
INSERT INTO checkout_words_until DEFAULT VALUES;

-- A name takes its words with it when it changes or is removed. The job holds the row of checkout_words_until while it
-- writes words, so that it writes none of a name that is being removed.
-- +goose StatementBegin
CREATE FUNCTION checkouts_change_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM checkout_words_until FOR SHARE;
    UPDATE checkout_words
    SET words = checkout_vector(NEW.project_id, NEW.livemode, NEW.customer_name, NEW.external_id)
    WHERE checkout_id = NEW.id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER checkouts_change_words AFTER UPDATE OF customer_name ON checkouts
    FOR EACH ROW WHEN (OLD.customer_name IS DISTINCT FROM NEW.customer_name)
    EXECUTE FUNCTION checkouts_change_words();

-- +goose Down
DROP TRIGGER checkouts_change_words ON checkouts;
DROP FUNCTION checkouts_change_words();
DROP TABLE checkout_words_until;
DROP TABLE checkout_words;
DROP FUNCTION checkout_vector(text, boolean, text, text);
DROP FUNCTION search_query(text, boolean, text);
DROP FUNCTION search_mark(text, boolean);
DROP FUNCTION folded(text);
