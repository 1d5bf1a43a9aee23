-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00069: older programs do not name the columns; until they are gone, they go on to write buyers'
-- documents in plain, which a job seals, and show none of the documents that newer programs wrote

-- Buyers' documents, sealed, and a keyed digest by which they are found.
ALTER TABLE checkouts ADD COLUMN IF NOT EXISTS sealed_document bytea, ADD COLUMN IF NOT EXISTS document_digest bytea;
ALTER TABLE checkouts DROP CONSTRAINT IF EXISTS checkouts_document_digest,
    ADD CONSTRAINT checkouts_document_digest CHECK ((sealed_document IS NULL) = (document_digest IS NULL)
        AND (document_digest IS NULL OR octet_length(document_digest) = 32)) NOT VALID;
ALTER TABLE checkouts VALIDATE CONSTRAINT checkouts_document_digest;

DROP INDEX CONCURRENTLY IF EXISTS checkouts_by_document;
CREATE INDEX CONCURRENTLY checkouts_by_document ON checkouts (project_id, document_digest)
    WHERE document_digest IS NOT NULL;
-- For the job that seals what is plain.
DROP INDEX CONCURRENTLY IF EXISTS checkouts_plain_document;
CREATE INDEX CONCURRENTLY checkouts_plain_document ON checkouts (project_id) WHERE customer_document IS NOT NULL;

-- +goose Down
ALTER TABLE checkouts DROP COLUMN document_digest, DROP COLUMN sealed_document;
