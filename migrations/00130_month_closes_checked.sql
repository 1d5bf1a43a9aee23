-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: checks what 00129 declares
ALTER TABLE members VALIDATE CONSTRAINT members_muted;

-- +goose Down
SELECT 1;
