-- +goose Up
-- compatible with 00094: how often two tables are vacuumed, which no program sees

-- A charge that is paid and settled leaves two dead rows of checkouts, and each delivery one; no other table has many
-- (docs/decisions/0089). By default a vacuum waits until a fifth of a table is dead.
--
-- What these statements wait for is another vacuum, which gives way after a second, and no transaction waits for them.
SET LOCAL lock_timeout = '5s';
ALTER TABLE checkouts SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- +goose StatementBegin
DO $$ DECLARE deliveries regclass; BEGIN
    FOR deliveries IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'webhook_deliveries'::regclass LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0.02,
            autovacuum_analyze_scale_factor = 0.02)', deliveries);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
-- As in 00126; the deliveries of months to come have the same.
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
        ) WITH (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
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
-- +goose StatementBegin
DO $$ DECLARE deliveries regclass; BEGIN
    FOR deliveries IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'webhook_deliveries'::regclass LOOP
        EXECUTE format('ALTER TABLE %s RESET (autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor)',
            deliveries);
    END LOOP;
END $$;
-- +goose StatementEnd
ALTER TABLE checkouts RESET (autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor);
