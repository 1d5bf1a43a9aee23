-- +goose Up

-- Which terms of use a person accepted when they made their log-in, and when. The terms
-- are the company's that runs the installation, which may have none.
ALTER TABLE users
    ADD COLUMN terms_url text CHECK (char_length(terms_url) BETWEEN 1 AND 2048),
    ADD COLUMN terms_accepted_at timestamptz,
    ADD CONSTRAINT users_terms_accepted CHECK ((terms_url IS NULL) = (terms_accepted_at IS NULL));

-- +goose Down
ALTER TABLE users DROP COLUMN terms_url, DROP COLUMN terms_accepted_at;
