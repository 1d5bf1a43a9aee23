-- +goose Up
-- compatible with 00042: adds a function that only newer programs call

-- The terms of an account for a charge of a moment: basis points and centavos of the
-- account's own fee, otherwise the installation's; and seconds of its own settlement
-- delay, null for the installation's. A function keeps its plans. A statement whose
-- parameters are arrays is planned each time, and each of these reads made that longer.
-- +goose StatementBegin
CREATE FUNCTION account_terms(account text, moment timestamptz) RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    fee   bigint[];
    delay bigint;
BEGIN
    SELECT CASE WHEN f.fixed IS NOT NULL THEN ARRAY[f.basis_points, f.fixed] END INTO fee
        FROM account_fees f WHERE f.account_id = account AND f.valid_from <= moment ORDER BY f.id DESC LIMIT 1;
    IF fee IS NULL THEN
        SELECT ARRAY[d.basis_points, d.fixed] INTO fee
            FROM default_fees d WHERE d.valid_from <= moment ORDER BY d.id DESC LIMIT 1;
    END IF;
    SELECT l.settlement_delay INTO delay
        FROM account_limits l WHERE l.account_id = account AND l.valid_from <= moment ORDER BY l.id DESC LIMIT 1;
    RETURN fee || delay;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION account_terms(text, timestamptz);
