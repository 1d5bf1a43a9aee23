-- +goose Up
-- compatible with 00062: older programs do not use the tables

-- The addresses and browsers from which a person has logged in; place is a keyed digest. A stranger who
-- guesses from elsewhere is slowed down without slowing the person.
CREATE TABLE log_in_places (
    user_id text NOT NULL REFERENCES users (id),
    place bytea NOT NULL CHECK (octet_length(place) = 32),
    last_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, place)
);
CREATE INDEX log_in_places_by_time ON log_in_places (last_at);

-- How many wrong codes were tried with a person's password on the last day (UTC) that had one.
CREATE TABLE wrong_codes (
    user_id text PRIMARY KEY REFERENCES users (id),
    day date NOT NULL,
    tries integer NOT NULL CHECK (tries > 0)
);
CREATE INDEX wrong_codes_by_day ON wrong_codes (day);

-- +goose Down
DROP TABLE wrong_codes;
DROP TABLE log_in_places;
