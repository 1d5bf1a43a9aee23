-- +goose Up
-- compatible with 00094: a program of before checks the whole log and leaves the column as it is

-- Number of the seal up to which the audit log was compared in turn; 0 if the turn begins anew.
ALTER TABLE examinations ADD COLUMN reached bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE examinations DROP COLUMN reached;
