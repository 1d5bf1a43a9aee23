-- +goose Up

-- Members who want a mail for each paid charge, and how far they were told. A row begins
-- with the ledger's last movement, so nothing of the past is told, and ends with the
-- membership. Payments write nothing here: a job reads what they posted.
CREATE TABLE paid_notices (
    account_id text NOT NULL,
    user_id    text NOT NULL,
    through_id bigint NOT NULL CHECK (through_id >= 0), -- the last movement that was looked at
    hour       timestamptz NOT NULL, -- the whole hour that the counts are of
    paid       integer NOT NULL DEFAULT 0 CHECK (paid >= 0), -- charges paid in it
    amount     bigint NOT NULL DEFAULT 0 CHECK (amount >= 0), -- and their sum
    PRIMARY KEY (account_id, user_id),
    CONSTRAINT paid_notices_of_members FOREIGN KEY (account_id, user_id) REFERENCES members ON DELETE CASCADE
);

-- +goose Down
DROP TABLE paid_notices;
