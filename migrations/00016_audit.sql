-- +goose Up

ALTER TABLE audit_log
    ADD COLUMN before     jsonb NOT NULL DEFAULT '{}', -- what the change took away, never a secret
    ADD COLUMN after      jsonb NOT NULL DEFAULT '{}', -- and what stands since
    ADD COLUMN request_id text NOT NULL DEFAULT ''; -- of the page or call that did it
CREATE INDEX audit_log_by_actor ON audit_log (actor, id DESC);
CREATE INDEX audit_log_by_object ON audit_log (object_id, id DESC);
CREATE INDEX audit_log_by_request ON audit_log (request_id) WHERE request_id <> '';

-- +goose Down
DROP INDEX audit_log_by_object, audit_log_by_actor, audit_log_by_request;
ALTER TABLE audit_log DROP COLUMN before, DROP COLUMN after, DROP COLUMN request_id;
