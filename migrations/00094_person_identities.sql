-- +goose Up
-- compatible with 00069: older programs name neither the table nor the column, whose default is right for their log-ins

-- Who a person is at an OpenID Connect provider. The subject never changes there; the e-mail may.
CREATE TABLE person_identities (
    issuer text NOT NULL CONSTRAINT person_identities_issuer CHECK (char_length(issuer) BETWEEN 1 AND 500),
    subject text NOT NULL CONSTRAINT person_identities_subject CHECK (octet_length(subject) BETWEEN 1 AND 255),
    user_id text NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject),
    CONSTRAINT person_identities_one UNIQUE (user_id, issuer)
);

-- Whether a session began at the provider.
ALTER TABLE sessions ADD COLUMN by_provider boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE sessions DROP COLUMN by_provider;
DROP TABLE person_identities;
