-- +goose Up
-- compatible with 00094: older programs do not name the columns; until they are gone, they sell at links without the
-- new terms, and their sales hold no units

-- What a buyer is asked for; how many units one charge may have; between which amounts, in centavos, the buyer
-- chooses (null: the product's price); how many units the link may sell in all (null: no limit); and when it ends.
ALTER TABLE payment_links ADD COLUMN buyer_data text NOT NULL DEFAULT 'OPTIONAL',
    ADD COLUMN max_quantity integer NOT NULL DEFAULT 1,
    ADD COLUMN min_amount bigint,
    ADD COLUMN max_amount bigint,
    ADD COLUMN stock integer,
    ADD COLUMN ends_at timestamptz;
ALTER TABLE payment_links
    ADD CONSTRAINT payment_links_buyer_data CHECK (buyer_data IN ('OFF', 'OPTIONAL', 'REQUIRED')) NOT VALID,
    ADD CONSTRAINT payment_links_max_quantity CHECK (max_quantity BETWEEN 1 AND 100) NOT VALID,
    ADD CONSTRAINT payment_links_open_amount CHECK ((min_amount IS NULL) = (max_amount IS NULL)
        AND (min_amount IS NULL OR min_amount >= 1 AND min_amount <= max_amount
            AND max_amount <= 999999999999 AND max_quantity = 1)) NOT VALID,
    ADD CONSTRAINT payment_links_stock CHECK (stock >= 0) NOT VALID;

-- Archived products are in no list, and their links do not sell.
ALTER TABLE products ADD COLUMN archived_at timestamptz;
ALTER TABLE products
    ADD CONSTRAINT products_archived_is_off CHECK (archived_at IS NULL OR NOT active) NOT VALID;

-- The units that a charge holds of its link's stock while it is PENDING, and has taken once it is PAID; null if the
-- link had no stock.
ALTER TABLE checkouts ADD COLUMN units integer;
ALTER TABLE checkouts
    ADD CONSTRAINT checkouts_units CHECK (units IS NULL
        OR units BETWEEN 1 AND 100 AND payment_link_id IS NOT NULL) NOT VALID;

-- +goose Down
ALTER TABLE checkouts DROP COLUMN units;
ALTER TABLE products DROP COLUMN archived_at;
ALTER TABLE payment_links DROP COLUMN buyer_data, DROP COLUMN max_quantity, DROP COLUMN min_amount,
    DROP COLUMN max_amount, DROP COLUMN stock, DROP COLUMN ends_at;
