-- +goose Up

-- How a merchant's hosted pages look, and whom its buyers can ask. The logo is a
-- picture that we drew ourselves from the one uploaded; its address is its hash.
CREATE TABLE brands (
    account_id  text PRIMARY KEY REFERENCES accounts,
    accent      text CHECK (accent ~ '^#[0-9a-f]{6}$'), -- null: ours
    support     text CHECK (char_length(support) BETWEEN 3 AND 254), -- an e-mail, a phone or an address of the web
    logo        bytea CHECK (octet_length(logo) BETWEEN 1 AND 16384), -- PNG; what a first visit has room for
    logo_hash   text CHECK (logo_hash ~ '^[0-9a-f]{32}$'),
    logo_width  integer CHECK (logo_width BETWEEN 1 AND 480),
    logo_height integer CHECK (logo_height BETWEEN 1 AND 120),
    updated_at  timestamptz NOT NULL,
    CONSTRAINT brands_logo_whole CHECK (num_nulls(logo, logo_hash, logo_width, logo_height) IN (0, 4))
);
CREATE INDEX brands_by_logo ON brands (logo_hash);

-- Which mails a member has turned off, and whether the first steps are out of sight.
-- Mails that no notice stands for always come.
ALTER TABLE members
    ADD COLUMN muted text[] NOT NULL DEFAULT '{}',
    ADD COLUMN steps_hidden boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT members_muted CHECK (muted <@ ARRAY['WEBHOOK_FAILING', 'WEBHOOK_DISABLED', 'WITHDRAWALS', 'ACCESS']);

-- +goose Down
ALTER TABLE members DROP COLUMN steps_hidden, DROP COLUMN muted;
DROP TABLE brands;
