-- +goose Up
-- compatible with 00094: older programs do not name the table

-- The reasons that staff wrote once for decisions of a kind, to be picked again. What was decided has a copy of the
-- text, so a reason can be reworded and retired. The places of the live reasons of a kind limit how many there are.
CREATE TABLE decision_reasons (
    id         text PRIMARY KEY CHECK (id ~ '^rsn_[0-9a-f]{20}$'),
    kind       text NOT NULL CHECK (kind IN ('access', 'destination', 'withdrawal', 'payment', 'exception', 'dispute',
        'fee', 'name')),
    place      integer NOT NULL CHECK (place BETWEEN 1 AND 50),
    text       text NOT NULL CHECK (char_length(text) BETWEEN 10 AND 500),
    version    integer NOT NULL DEFAULT 1 CHECK (version > 0),
    created_by text NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    retired_by text REFERENCES users,
    retired_at timestamptz,
    CONSTRAINT decision_reasons_retired CHECK (num_nulls(retired_by, retired_at) IN (0, 2))
);
CREATE UNIQUE INDEX decision_reasons_text ON decision_reasons (kind, text) WHERE retired_at IS NULL;
COMMENT ON INDEX decision_reasons_text IS 'a kind has a reason once; not those that were retired';
CREATE UNIQUE INDEX decision_reasons_place ON decision_reasons (kind, place) WHERE retired_at IS NULL;
COMMENT ON INDEX decision_reasons_place IS 'a kind has at most 50 reasons, and their list; not those that were retired';

-- +goose Down
DROP TABLE decision_reasons;
