-- +goose Up
-- compatible with 00042: adds a table that only the program's start and readiness read

-- The migrations beside which a program may run that does not have them, if it has
-- migration needs. A program that meets any other unknown migration refuses to work.
CREATE TABLE schema_compatibility (
    version bigint PRIMARY KEY,
    needs   bigint NOT NULL,
    reason  text NOT NULL CHECK (reason <> '')
);

-- +goose Down
DROP TABLE schema_compatibility;
