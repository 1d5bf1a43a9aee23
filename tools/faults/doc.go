// Package faults measures what clients see when machines, networks and databases break:
// it runs the built program as processes under load, breaks one thing at a time, and
// compares every acknowledgement with the database. `make faults` runs it and writes
// the table of docs/reliability.md. `make cluster-test` does the same to the cluster of
// deploy/cluster. The tests are built with the tags "faults" and "cluster", because they
// take minutes.
package faults
