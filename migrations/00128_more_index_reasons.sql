-- +goose Up
-- compatible with 00094: texts beside indexes

-- As in 00125, of the other tables that a charge writes.
COMMENT ON INDEX bank_charges_pkey IS 'the charge of a checkout, and what the bank reports, by the id at the bank';
COMMENT ON INDEX bank_charges_generation_once IS 'the charges of a checkout, the latest first; one of each number';
COMMENT ON INDEX bank_charges_open_once IS 'a checkout has one charge that can be paid';
COMMENT ON INDEX bank_charges_due IS 'the next looks at an account; an entry goes with the last look';
COMMENT ON INDEX bank_charges_conflict IS 'what the console shows of an account; of almost no charge';
COMMENT ON INDEX payments_pkey IS 'a payment by its id, and foreign keys';
COMMENT ON INDEX payments_end_to_end_id_unique IS 'a payment is recorded once, however often it is reported';
COMMENT ON INDEX payments_one_settles IS 'one payment makes a checkout PAID';
COMMENT ON INDEX payments_by_checkout IS 'all payments for a checkout, the others too';
COMMENT ON INDEX payments_by_recording IS 'hours that are rolled up, and what staff search in all accounts';
COMMENT ON INDEX payments_bank_account IS 'a day of an account at a bank; not of payments at the simulator';
COMMENT ON INDEX idempotency_keys_pkey IS 'a key is used once';
COMMENT ON INDEX api_requests_pkey IS 'a call by its number, and the oldest, which are deleted';
COMMENT ON INDEX api_requests_by_page IS 'the list of calls';
COMMENT ON INDEX api_requests_by_request_id IS 'searches by the Request-Id';
COMMENT ON INDEX api_requests_by_object IS 'the calls about a charge, link or withdrawal';
COMMENT ON INDEX api_requests_by_time IS 'the calls of a period: how many, and which are deleted';
COMMENT ON INDEX api_requests_failed IS 'the list of failed calls; not of others';
COMMENT ON INDEX api_requests_broken IS 'the list of our own errors; not of other calls';
COMMENT ON INDEX events_by_page IS 'lists of events';
COMMENT ON INDEX events_by_type IS 'lists of rare types; not of events of creations and payments';
COMMENT ON INDEX events_by_epoch IS 'the stream of test events; not of live ones';
COMMENT ON INDEX events_refunds_by_checkout IS 'a charge''s events of refunds; not of others';
COMMENT ON INDEX webhook_deliveries_by_endpoint IS 'the list of an endpoint''s deliveries';
COMMENT ON INDEX webhook_deliveries_due IS 'the queue; an entry goes with the delivery';
COMMENT ON INDEX webhook_deliveries_undelivered IS 'what failed or waits for a further attempt; not of others';

-- +goose Down
-- +goose StatementBegin
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT indexrelid::regclass FROM pg_index WHERE indrelid IN ('bank_charges'::regclass,
            'payments'::regclass, 'idempotency_keys'::regclass, 'api_requests'::regclass, 'events'::regclass,
            'webhook_deliveries'::regclass) LOOP
        EXECUTE format('COMMENT ON INDEX %s IS NULL', name);
    END LOOP;
END $$;
-- +goose StatementEnd
