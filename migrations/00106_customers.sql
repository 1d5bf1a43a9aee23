-- +goose Up
-- compatible with 00094: older programs do not use the tables, and a trigger takes out of them what they forget

-- customer_key returns by what charges are counted to one customer (docs/decisions/0072): the document, otherwise the
-- e-mail address, otherwise the name. It is NULL for a charge that names no buyer, and for one whose document is not
-- sealed yet.
-- +goose StatementBegin
CREATE FUNCTION customer_key(document_digest bytea, plain_document text, email text, name text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN document_digest IS NOT NULL THEN document_digest
        WHEN plain_document IS NOT NULL THEN NULL
        WHEN email IS NOT NULL THEN sha256(convert_to('email/' || lower(email), 'UTF8'))
        WHEN name IS NOT NULL THEN sha256(convert_to('name/' || lower(name), 'UTF8'))
    END
$$;
-- +goose StatementEnd

-- The customers of charges, each with the latest charge that names it. A job gathers them. No foreign key names
-- checkouts: it would lock rows that payments skip when they are locked, and checkouts are not deleted.
CREATE TABLE customers (
    project_id text NOT NULL REFERENCES projects (id),
    livemode boolean NOT NULL,
    key bytea NOT NULL,
    checkout_id text NOT NULL UNIQUE,
    last_at timestamptz NOT NULL,
    name text,
    email text,
    PRIMARY KEY (project_id, livemode, key)
);
CREATE INDEX customers_by_page ON customers (project_id, livemode, last_at DESC, checkout_id DESC);
CREATE INDEX customers_by_name ON customers (project_id, livemode, lower(name) COLLATE "C") WHERE name IS NOT NULL;
CREATE INDEX customers_by_email ON customers (project_id, livemode, lower(email) COLLATE "C") WHERE email IS NOT NULL;

-- The charges created between since and until are gathered; NULL before the first time. A writer of customers locks
-- the row, so that what is forgotten meanwhile is not written again.
CREATE TABLE customers_until (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    since timestamptz,
    until timestamptz
);
INSERT INTO customers_until DEFAULT VALUES;

-- checkouts_customer keeps the customer of a charge whose buyer's data change: once they are removed, the customer is
-- gone, or has the latest charge that is left.
-- +goose StatementBegin
CREATE FUNCTION checkouts_customer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sealed boolean := OLD.document_digest IS NOT NULL;
    left_id text;
BEGIN
    PERFORM FROM customers_until FOR SHARE;
    DELETE FROM customers WHERE checkout_id = OLD.id;
    IF FOUND THEN
        SELECT m.id INTO left_id FROM (
            SELECT c.id, c.created_at FROM checkouts c
            WHERE c.project_id = OLD.project_id AND c.livemode = OLD.livemode
                AND c.document_digest = OLD.document_digest
            UNION ALL SELECT c.id, c.created_at FROM checkouts c
            WHERE c.project_id = OLD.project_id AND c.livemode = OLD.livemode
                AND lower(c.customer_email) COLLATE "C" = CASE WHEN NOT sealed THEN lower(OLD.customer_email) END
                AND c.document_digest IS NULL AND c.customer_document IS NULL
            UNION ALL SELECT c.id, c.created_at FROM checkouts c
            WHERE c.project_id = OLD.project_id AND c.livemode = OLD.livemode AND lower(c.customer_name) COLLATE "C" =
                    CASE WHEN NOT sealed AND OLD.customer_email IS NULL THEN lower(OLD.customer_name) END
                AND c.document_digest IS NULL AND c.customer_document IS NULL AND c.customer_email IS NULL
        ) m ORDER BY m.created_at DESC, m.id DESC LIMIT 1;
    END IF;
    INSERT INTO customers (project_id, livemode, key, checkout_id, last_at, name, email)
    SELECT DISTINCT ON (n.key) c.project_id, c.livemode, n.key, c.id, c.created_at, c.customer_name, c.customer_email
    FROM checkouts c CROSS JOIN LATERAL (SELECT customer_key(c.document_digest, c.customer_document, c.customer_email,
        c.customer_name) AS key) n
    WHERE c.id IN (NEW.id, left_id) AND n.key IS NOT NULL ORDER BY n.key, c.created_at DESC, c.id DESC
    ON CONFLICT (project_id, livemode, key) DO UPDATE SET checkout_id = EXCLUDED.checkout_id,
        last_at = EXCLUDED.last_at, name = EXCLUDED.name, email = EXCLUDED.email
    WHERE (EXCLUDED.last_at, EXCLUDED.checkout_id) > (customers.last_at, customers.checkout_id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER checkouts_customer AFTER UPDATE OF customer_name, customer_email, customer_document, document_digest
    ON checkouts FOR EACH ROW
    WHEN ((OLD.customer_name, OLD.customer_email, OLD.customer_document, OLD.document_digest)
        IS DISTINCT FROM (NEW.customer_name, NEW.customer_email, NEW.customer_document, NEW.document_digest))
    EXECUTE FUNCTION checkouts_customer();

-- +goose Down
DROP TRIGGER checkouts_customer ON checkouts;
DROP FUNCTION checkouts_customer;
DROP TABLE customers_until, customers;
DROP FUNCTION customer_key;
