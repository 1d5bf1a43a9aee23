// Package faults measures what clients see when machines, networks and databases break:
// it runs the built program as processes under load, breaks one thing at a time, and
// compares every acknowledgement with the database. `make faults` runs it and writes
// the table of docs/reliability.md. Its tests are built with the tag "faults", because
// they take minutes.
package faults
