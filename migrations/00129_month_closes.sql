-- +goose Up
-- compatible with 00094: older programs do not know the table, and turn none of its mails off

-- The months of live that were closed: the account's owner got the mail of the month, unless the owner had turned it
-- off. The row is written with the mail, so that each month is closed once.
CREATE TABLE month_closes (
    account_id text NOT NULL REFERENCES accounts (id),
    month      date NOT NULL CHECK (extract(day FROM month) = 1), -- its first day in Brasília
    closed_at  timestamptz NOT NULL,
    PRIMARY KEY (account_id, month)
);

ALTER TABLE members DROP CONSTRAINT members_muted,
    ADD CONSTRAINT members_muted CHECK (muted <@ ARRAY['WEBHOOK_FAILING', 'WEBHOOK_DISABLED', 'WITHDRAWALS', 'ACCESS',
        'MONTH_CLOSED']) NOT VALID;

COMMENT ON INDEX checkouts_by_paid_at IS
    'hours of payments that are rolled up, the checks of the books, the list of sales, the calendar of releases';

-- +goose Down
DROP TABLE month_closes;
UPDATE members SET muted = array_remove(muted, 'MONTH_CLOSED') WHERE 'MONTH_CLOSED' = ANY (muted);
ALTER TABLE members DROP CONSTRAINT members_muted,
    ADD CONSTRAINT members_muted CHECK (muted <@ ARRAY['WEBHOOK_FAILING', 'WEBHOOK_DISABLED', 'WITHDRAWALS', 'ACCESS']);
COMMENT ON INDEX checkouts_by_paid_at IS 'hours of payments that are rolled up, and the checks of the books';
