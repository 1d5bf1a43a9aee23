-- +goose Up

-- A person's wish for another address. Its token is sent there, and stands for the person
-- rather than for the address that they have; one is open at a time.
ALTER TABLE tokens
    DROP CONSTRAINT tokens_purpose_check,
    ADD CONSTRAINT tokens_purpose_check CHECK (purpose IN ('VERIFY_EMAIL', 'RESET_PASSWORD', 'CHANGE_EMAIL'));
CREATE UNIQUE INDEX tokens_one_email_change ON tokens (user_id) WHERE purpose = 'CHANGE_EMAIL' AND used_at IS NULL;

-- +goose Down
DROP INDEX tokens_one_email_change;
DELETE FROM tokens WHERE purpose = 'CHANGE_EMAIL';
ALTER TABLE tokens
    DROP CONSTRAINT tokens_purpose_check,
    ADD CONSTRAINT tokens_purpose_check CHECK (purpose IN ('VERIFY_EMAIL', 'RESET_PASSWORD'));
