-- +goose Up

-- The language in which mails are written to a person.
ALTER TABLE users ADD COLUMN language text NOT NULL DEFAULT 'pt-BR' CHECK (language IN ('pt-BR', 'en'));

-- Mails, written in the transaction of the fact that they tell of, so that there is
-- one for each fact and person or none. A job sends each.
CREATE TABLE mails (
    id         text PRIMARY KEY CHECK (id ~ '^mail_[0-9a-f]{20}$'),
    fact       text NOT NULL CHECK (char_length(fact) BETWEEN 1 AND 200), -- 'withdrawal_completed/wdr_…'
    recipient  text NOT NULL CHECK (char_length(recipient) BETWEEN 3 AND 254),
    language   text NOT NULL CHECK (language IN ('pt-BR', 'en')),
    kind       text NOT NULL, -- names the texts
    params     jsonb NOT NULL DEFAULT '{}', -- never a secret; emptied once sent
    created_at timestamptz NOT NULL,
    sent_at    timestamptz,
    attempts   integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    error      text NOT NULL DEFAULT '', -- of the last attempt; never an address
    CONSTRAINT mails_once UNIQUE (fact, recipient)
);
CREATE INDEX mails_by_age ON mails (created_at DESC, id DESC);

-- +goose Down
DROP TABLE mails;
ALTER TABLE users DROP COLUMN language;
