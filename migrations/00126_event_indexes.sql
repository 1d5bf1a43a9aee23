-- +goose Up
-- compatible with 00094: tables of months to come promise the same

-- A table of a month promises one event of each type about a withdrawal. Almost no event is about one, and an index
-- without a condition has an entry for each event all the same.
-- +goose StatementBegin
-- locks: as before, the keys are those of empty tables
CREATE OR REPLACE FUNCTION make_event_tables(suffix text) RETURNS void LANGUAGE plpgsql
    SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING ALL, PRIMARY KEY (id),
        CONSTRAINT events_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts,
        CONSTRAINT events_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects,
        CONSTRAINT events_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds,
        CONSTRAINT events_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals)', 'events_' || suffix);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (withdrawal_id, project_id, type) WHERE withdrawal_id IS NOT NULL',
        'events_one_each_withdrawal_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (checkout_id, type) WHERE refund_id IS NULL',
        'events_one_each_checkout_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (refund_id, type) WHERE refund_id IS NOT NULL',
        'events_one_each_refund_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE TABLE %1$I (LIKE webhook_deliveries INCLUDING ALL, PRIMARY KEY (id),
        CONSTRAINT %2$I UNIQUE (event_id, endpoint_id),
        CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints,
        CONSTRAINT webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES %3$I (id)
        ) WITH (fillfactor = 45)',
        'webhook_deliveries_' || suffix, 'webhook_deliveries_once_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE TABLE %I (LIKE webhook_attempts INCLUDING ALL, PRIMARY KEY (delivery_id, number))',
        'webhook_attempts_' || suffix);
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION make_event_tables(suffix text) RETURNS void LANGUAGE plpgsql
    SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('CREATE TABLE %1$I (LIKE events INCLUDING ALL, PRIMARY KEY (id),
        CONSTRAINT events_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts,
        CONSTRAINT events_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects,
        CONSTRAINT events_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds,
        CONSTRAINT events_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals,
        CONSTRAINT %2$I UNIQUE (withdrawal_id, project_id, type))', 'events_' || suffix,
        'events_one_each_withdrawal_' || suffix);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (checkout_id, type) WHERE refund_id IS NULL',
        'events_one_each_checkout_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (refund_id, type) WHERE refund_id IS NOT NULL',
        'events_one_each_refund_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE TABLE %1$I (LIKE webhook_deliveries INCLUDING ALL, PRIMARY KEY (id),
        CONSTRAINT %2$I UNIQUE (event_id, endpoint_id),
        CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints,
        CONSTRAINT webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES %3$I (id)
        ) WITH (fillfactor = 45)',
        'webhook_deliveries_' || suffix, 'webhook_deliveries_once_' || suffix, 'events_' || suffix);
    EXECUTE format('CREATE TABLE %I (LIKE webhook_attempts INCLUDING ALL, PRIMARY KEY (delivery_id, number))',
        'webhook_attempts_' || suffix);
END $$;
-- +goose StatementEnd
