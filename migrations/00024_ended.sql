-- +goose Up

-- What has ended is looked for by its end, to be deleted; accounts are listed by age.
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE INDEX tokens_by_end ON tokens (expires_at);
CREATE INDEX invites_by_end ON invites (coalesce(accepted_at, revoked_at, expires_at));
CREATE INDEX accounts_by_page ON accounts (created_at DESC, id DESC);

-- +goose Down
DROP INDEX accounts_by_page, invites_by_end, tokens_by_end, sessions_by_end;
