#!/bin/sh
# Patroni runs this once, on the first leader, with the address of the new server.
set -eu
psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --dbname="$1" <<'SQL'
CREATE ROLE garoupa LOGIN PASSWORD '{{.Password}}';
CREATE DATABASE garoupa OWNER garoupa;
SQL
