-- +goose Up
-- compatible with 00094: older programs do not know the table, and send no receipts

-- The receipts of a charge that were mailed lately. A row keeps no address: recipient is its keyed digest, and masked
-- what the merchant's page shows of it. The numbers bound how many a charge has.
CREATE TABLE receipt_mails (
    checkout_id text NOT NULL REFERENCES checkouts (id),
    number      smallint NOT NULL CHECK (number BETWEEN 1 AND 8),
    form        text NOT NULL CHECK (char_length(form) BETWEEN 1 AND 200),
    recipient   bytea NOT NULL CHECK (octet_length(recipient) = 32),
    masked      text NOT NULL CHECK (char_length(masked) BETWEEN 1 AND 20),
    asked_by    text REFERENCES users (id), -- a member; null for the buyer
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (checkout_id, number),
    CONSTRAINT receipt_mails_once UNIQUE (checkout_id, form)
);
CREATE INDEX receipt_mails_by_recipient ON receipt_mails (recipient, created_at);
CREATE INDEX receipt_mails_by_age ON receipt_mails (created_at);

-- +goose Down
DROP TABLE receipt_mails;
