-- +goose Up
-- compatible with 00094: older programs do not name the columns, and show neither text nor button

-- What buyers of the account see once they have paid: a text, and a button with an address. The button has both or
-- neither.
ALTER TABLE brands ADD COLUMN thanks text,
    ADD COLUMN thanks_label text,
    ADD COLUMN thanks_url text;
ALTER TABLE brands
    ADD CONSTRAINT brands_thanks CHECK (char_length(thanks) BETWEEN 1 AND 280) NOT VALID,
    ADD CONSTRAINT brands_thanks_button CHECK ((thanks_label IS NULL) = (thanks_url IS NULL)
        AND (thanks_url IS NULL OR char_length(thanks_label) BETWEEN 1 AND 40
            AND thanks_url LIKE 'https://_%' AND char_length(thanks_url) <= 500)) NOT VALID;

-- +goose Down
ALTER TABLE brands DROP COLUMN thanks, DROP COLUMN thanks_label, DROP COLUMN thanks_url;
