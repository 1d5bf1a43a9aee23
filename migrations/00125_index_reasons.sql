-- +goose Up
-- compatible with 00094: texts beside indexes

-- Each write of a charge pays for its indexes, so each has a reason, which \d+ shows (TestIndexes_Reasons).
COMMENT ON INDEX checkouts_pkey IS 'a charge by its id, foreign keys, and the checks of the books in parts';
COMMENT ON INDEX checkouts_txid_unique IS 'one charge for each id at an institution; payments find theirs by it';
COMMENT ON INDEX checkouts_by_page IS 'lists of the API and the dashboard, their sums, and searches of an amount';
COMMENT ON INDEX checkouts_by_status IS 'the same of one status';
COMMENT ON INDEX checkouts_by_external_id IS 'lists and searches by the merchant''s own id';
COMMENT ON INDEX checkouts_by_creation IS 'hours that are rolled up, and what staff search in all accounts';
COMMENT ON INDEX checkouts_by_paid_at IS 'hours of payments that are rolled up, and the checks of the books';
COMMENT ON INDEX checkouts_by_expiry IS 'the sweep that expires; an entry goes when the charge is no longer pending';
COMMENT ON INDEX checkouts_by_settlement IS 'the sweep that settles; an entry goes with the settlement';
COMMENT ON INDEX checkouts_uncovered IS 'paid charges that withdrawals have not used up; an entry goes with that';
COMMENT ON INDEX checkouts_self_paying IS 'test charges of seven cents, which pay themselves; not of others';
COMMENT ON INDEX checkouts_by_payment_link IS 'the uses of a link; not of charges without one';
COMMENT ON INDEX checkouts_by_units IS 'the stock of a link; not of charges without one';
COMMENT ON INDEX checkouts_by_customer_email IS 'searches by the address; not of charges without one';
COMMENT ON INDEX checkouts_by_document IS 'searches by the document, and requests of buyers about their data';
COMMENT ON INDEX checkouts_plain_document IS 'the job that seals documents of earlier versions; empty after it';

-- +goose Down
COMMENT ON INDEX checkouts_pkey IS NULL;
COMMENT ON INDEX checkouts_txid_unique IS NULL;
COMMENT ON INDEX checkouts_by_page IS NULL;
COMMENT ON INDEX checkouts_by_status IS NULL;
COMMENT ON INDEX checkouts_by_external_id IS NULL;
COMMENT ON INDEX checkouts_by_creation IS NULL;
COMMENT ON INDEX checkouts_by_paid_at IS NULL;
COMMENT ON INDEX checkouts_by_expiry IS NULL;
COMMENT ON INDEX checkouts_by_settlement IS NULL;
COMMENT ON INDEX checkouts_uncovered IS NULL;
COMMENT ON INDEX checkouts_self_paying IS NULL;
COMMENT ON INDEX checkouts_by_payment_link IS NULL;
COMMENT ON INDEX checkouts_by_units IS NULL;
COMMENT ON INDEX checkouts_by_customer_email IS NULL;
COMMENT ON INDEX checkouts_by_document IS NULL;
COMMENT ON INDEX checkouts_plain_document IS NULL;
