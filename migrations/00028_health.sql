-- +goose Up

-- What staff look at to see whether the installation is well.
CREATE INDEX api_requests_by_time ON api_requests USING brin (at);
CREATE INDEX mails_unsent ON mails (created_at) WHERE sent_at IS NULL;
CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (id)
    WHERE deleted_at IS NULL AND (active AND troubled_at IS NOT NULL OR disabled_at IS NOT NULL);

-- +goose Down
DROP INDEX api_requests_by_time, mails_unsent, webhook_endpoints_failing;
