-- +goose Up

-- What a merchant sells through payment links. The slug is its public id.
CREATE TABLE products (
    id            text PRIMARY KEY CHECK (id ~ '^prod_[0-9a-f]{20}$'),
    project_id    text NOT NULL REFERENCES projects,
    livemode      boolean NOT NULL,
    slug          text NOT NULL CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND char_length(slug) <= 255),
    name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    description   text CHECK (char_length(description) BETWEEN 1 AND 500),
    image_url     text CHECK (char_length(image_url) BETWEEN 1 AND 2048),
    amount        bigint NOT NULL CHECK (amount BETWEEN 1 AND 999999999999),
    payment_cycle text NOT NULL DEFAULT 'ONE_TIME'
        CHECK (payment_cycle IN ('ONE_TIME', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUALLY', 'ANNUALLY')),
    active        boolean NOT NULL DEFAULT true,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    CONSTRAINT products_slug_unique UNIQUE (project_id, livemode, slug)
);

-- +goose Down
DROP TABLE products;
