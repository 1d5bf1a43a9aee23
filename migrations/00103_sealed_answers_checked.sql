-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: constraints that all rows of older programs satisfy, and indexes

ALTER TABLE access_requests VALIDATE CONSTRAINT access_requests_document_check;
ALTER TABLE access_requests VALIDATE CONSTRAINT access_requests_sealed;
DROP INDEX CONCURRENTLY IF EXISTS access_requests_by_digest;
CREATE INDEX CONCURRENTLY access_requests_by_digest ON access_requests (document_digest)
    WHERE document_digest IS NOT NULL;
-- For the job that seals what is plain.
DROP INDEX CONCURRENTLY IF EXISTS access_requests_plain;
CREATE INDEX CONCURRENTLY access_requests_plain ON access_requests (id) WHERE answers IS NULL AND document <> id;

-- +goose Down
DROP INDEX access_requests_by_digest, access_requests_plain;
