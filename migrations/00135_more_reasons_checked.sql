-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: checks what 00134 declares
ALTER TABLE decision_reasons VALIDATE CONSTRAINT decision_reasons_kind;

-- +goose Down
SELECT 1;
