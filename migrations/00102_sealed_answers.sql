-- +goose Up
-- compatible with 00094: the columns that older programs read stay filled. Until they are gone, they show no answers
-- that newer programs wrote, and cannot approve such a request: accounts_document_check refuses what stands there

-- The answers of a request for production access that are personal data (legal name, document, contact's name and
-- e-mail address), sealed, and keyed digests by which staff find them. While answers is set, and after the answers have
-- ended, document, contact_name and contact_email hold the request's id, and legal_name the account's name.
ALTER TABLE access_requests ADD COLUMN answers bytea, ADD COLUMN document_digest bytea, ADD COLUMN email_digest bytea;
ALTER TABLE access_requests
    DROP CONSTRAINT access_requests_document_check,
    ADD CONSTRAINT access_requests_document_check
        CHECK (document ~ '^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$' OR document = id) NOT VALID,
    ADD CONSTRAINT access_requests_sealed CHECK (CASE WHEN answers IS NULL THEN num_nonnulls(document_digest, email_digest) = 0
        ELSE num_nulls(document_digest, email_digest) = 0 AND octet_length(document_digest) = 32
            AND octet_length(email_digest) = 32 AND (document, contact_name, contact_email) = (id, id, id) END) NOT VALID;

-- Answers do not change, but plain ones are sealed, and those of requests that gave no access, or whose access was
-- revoked, end.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION access_requests_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sealing CONSTANT text[] := '{legal_name,document,contact_name,contact_email,answers,document_digest,email_digest}';
    ending CONSTANT text[] := '{answers,document_digest,email_digest,contact_phone}';
BEGIN
    IF OLD.answers IS NULL AND NEW.answers IS NOT NULL AND OLD.document <> OLD.id
        AND to_jsonb(NEW) - sealing = to_jsonb(OLD) - sealing THEN
        RETURN NEW;
    END IF;
    IF OLD.answers IS NOT NULL AND NEW.answers IS NULL AND OLD.status NOT IN ('PENDING_REVIEW', 'APPROVED')
        AND to_jsonb(NEW) - ending = to_jsonb(OLD) - ending THEN
        RETURN NEW;
    END IF;
    IF NOT (OLD.status, NEW.status) IN (('PENDING_REVIEW', 'PENDING_REVIEW'), ('PENDING_REVIEW', 'WITHDRAWN'), ('PENDING_REVIEW', 'APPROVED'),
        ('PENDING_REVIEW', 'REJECTED'), ('PENDING_REVIEW', 'RETURNED'), ('APPROVED', 'REVOKED')) OR NEW.version <> OLD.version + 1 THEN
        RAISE EXCEPTION 'a request does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_transition';
    END IF;
    IF to_jsonb(NEW) - '{status,version,updated_at}'::text[] <> to_jsonb(OLD) - '{status,version,updated_at}'::text[] THEN
        RAISE EXCEPTION 'what was answered does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_pinned';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION access_requests_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (OLD.status, NEW.status) IN (('PENDING_REVIEW', 'PENDING_REVIEW'), ('PENDING_REVIEW', 'WITHDRAWN'), ('PENDING_REVIEW', 'APPROVED'),
        ('PENDING_REVIEW', 'REJECTED'), ('PENDING_REVIEW', 'RETURNED'), ('APPROVED', 'REVOKED')) OR NEW.version <> OLD.version + 1 THEN
        RAISE EXCEPTION 'a request does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_transition';
    END IF;
    IF to_jsonb(NEW) - '{status,version,updated_at}'::text[] <> to_jsonb(OLD) - '{status,version,updated_at}'::text[] THEN
        RAISE EXCEPTION 'what was answered does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'access_requests_pinned';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER TABLE access_requests DROP CONSTRAINT access_requests_sealed, DROP COLUMN answers, DROP COLUMN document_digest,
    DROP COLUMN email_digest;
