-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00062: older programs do not write the new reason, and show every reason alike

-- An endpoint that answered 410 is turned off at once.
ALTER TABLE webhook_endpoints DROP CONSTRAINT IF EXISTS webhook_endpoints_disabled_reason_check,
    ADD CONSTRAINT webhook_endpoints_disabled_reason_check CHECK (disabled_reason IN ('failing', 'gone')) NOT VALID;
ALTER TABLE webhook_endpoints VALIDATE CONSTRAINT webhook_endpoints_disabled_reason_check;

-- +goose Down
UPDATE webhook_endpoints SET disabled_reason = 'failing' WHERE disabled_reason = 'gone';
ALTER TABLE webhook_endpoints DROP CONSTRAINT webhook_endpoints_disabled_reason_check,
    ADD CONSTRAINT webhook_endpoints_disabled_reason_check CHECK (disabled_reason IN ('failing'));
