-- +goose NO TRANSACTION
-- +goose Up
-- compatible with 00094: no statement of any program looks for charges of a project

-- It had two entries for each charge, one when it is begun and one when it opens.
DROP INDEX CONCURRENTLY IF EXISTS bank_charges_project;

-- +goose Down
CREATE INDEX bank_charges_project ON bank_charges (project_id);
