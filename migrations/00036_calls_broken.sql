-- +goose Up

-- The calls that ended in an error of ours are few, and looked for when something is
-- wrong. Among those that failed by the caller's fault the planner would look through all
-- calls of everybody for them. It is written for them alone.
CREATE INDEX api_requests_broken ON api_requests (project_id, livemode, id DESC) WHERE status >= 500;

-- +goose Down
DROP INDEX api_requests_broken;
