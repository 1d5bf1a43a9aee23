package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// options say how much to measure. docs/benchmarks.md is made with the defaults; smaller
// values help when changing a hot path.
type options struct {
	rounds      int
	seconds     int // of each half of a round
	rows        int
	connections []int
	only        *regexp.Regexp // the series to measure, by name
	program     string
	document    string // "" for no document
}

func parseOptions(args []string) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&o.rounds, "rounds", 3, "rounds of pgbench and the product in turn")
	flags.IntVar(&o.seconds, "seconds", 10, "length of each half of a round")
	flags.IntVar(&o.rows, "rows", 1_000_000, "checkouts to load, half of them live and half test")
	connections := flags.String("connections", "1,8,32", "numbers of connections to measure at")
	only := flags.String("only", "", "measure only the series whose names (\"create live\") match this `expression`")
	flags.StringVar(&o.program, "garoupa", "bin/garoupa", "the `program` to measure")
	flags.StringVar(&o.document, "out", "docs/benchmarks.md", "the `file` to write, empty for none")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.rounds < 1 || o.seconds < 1 || o.rows < 1000 {
		return o, errors.New("usage: bench [flags]; at least 1 round, 1 second and 1000 rows")
	}
	if o.connections, err = parseConnections(*connections); err != nil {
		return o, err
	}
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	if _, err := os.Stat(o.program); err != nil {
		return o, fmt.Errorf("-garoupa: %w; make build makes it", err)
	}
	return o, nil
}

func parseConnections(list string) (connections []int, err error) {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 64 {
			return nil, fmt.Errorf("-connections: %q is not a number from 1 to 64", word)
		}
		connections = append(connections, n)
	}
	return connections, nil
}
