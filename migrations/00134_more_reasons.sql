-- +goose Up
-- compatible with 00094: older programs write none of the new kinds, and read only those that they know

-- Reasons are saved for the forms about accounts too: amounts that are blocked or released, switches, proposals of
-- fees, and limits.
ALTER TABLE decision_reasons DROP CONSTRAINT decision_reasons_kind_check,
    ADD CONSTRAINT decision_reasons_kind CHECK (kind IN ('access', 'destination', 'withdrawal', 'payment', 'exception',
        'dispute', 'fee', 'name', 'block', 'switch', 'proposal', 'limits')) NOT VALID;

-- +goose Down
DELETE FROM decision_reasons WHERE kind IN ('block', 'switch', 'proposal', 'limits');
ALTER TABLE decision_reasons DROP CONSTRAINT decision_reasons_kind,
    ADD CONSTRAINT decision_reasons_kind_check CHECK (kind IN ('access', 'destination', 'withdrawal', 'payment',
        'exception', 'dispute', 'fee', 'name'));
