-- +goose Up
-- compatible with 00062: only new tables

-- How often something that may happen in floods happened in a minute, by its source. A source is a person, an
-- address, a key, or "all".
CREATE TABLE audit_counts (
    source text NOT NULL,
    minute timestamptz NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (source, minute)
);
CREATE INDEX audit_counts_by_minute ON audit_counts (minute);

-- The networks from which a key was used: an IPv4 address, or the /64 of an IPv6 address.
CREATE TABLE api_key_networks (
    key_id text NOT NULL REFERENCES api_keys,
    network text NOT NULL,
    first_used_at timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    PRIMARY KEY (key_id, network)
);
CREATE INDEX api_key_networks_by_use ON api_key_networks (last_used_at);

-- +goose Down
DROP TABLE api_key_networks, audit_counts;
