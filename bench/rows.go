package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The product may write what several requests ask for by one statement, which takes
// each column as an array.
var (
	columnArrays = regexp.MustCompile(`unnest\((\$\d+::[a-z]+\[\](?:,\s*\$\d+::[a-z]+\[\])*)\)`)
	placeholder  = regexp.MustCompile(`\$\d+`)
)

// single turns a statement over arrays of one row into the same over that row's
// values. One request in a transaction is what pgbench measures, and unpacking
// arrays for it would slow it down by a sixth.
func (s statement) single() (statement, error) {
	match := columnArrays.FindStringSubmatch(s.sql)
	if match == nil {
		return s, nil
	}
	row := statement{values: append([]*string{}, s.values...)}
	row.sql = strings.Replace(s.sql, match[0], "(VALUES ("+strings.ReplaceAll(match[1], "[]", "")+"))", 1)
	for _, place := range placeholder.FindAllString(match[1], -1) {
		n, _ := strconv.Atoi(place[1:]) // the pattern lets only digits through
		if n < 1 || n > len(s.values) || s.values[n-1] == nil {
			return statement{}, fmt.Errorf("%s of %.80q is not an array", place, s.sql)
		}
		var err error
		if row.values[n-1], err = onlyElement(*s.values[n-1]); err != nil {
			return statement{}, err
		}
	}
	return row, nil
}

// onlyElement reads an array of one element as PostgreSQL writes it: {a}, {"a \"b\""}
// or {NULL}, which is nil.
func onlyElement(array string) (*string, error) {
	failed := fmt.Errorf("%.80q is not an array of one element", array)
	text, opened := strings.CutPrefix(array, "{")
	text, closed := strings.CutSuffix(text, "}")
	if !opened || !closed || text == "" {
		return nil, failed
	}
	if text == "NULL" {
		return nil, nil
	}
	if text[0] != '"' {
		if strings.ContainsAny(text, `,"\{}`) {
			return nil, failed
		}
		return &text, nil
	}
	var element strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i != len(text)-1 {
				return nil, failed
			}
			read := element.String()
			return &read, nil
		case '\\':
			i++
			if i == len(text) {
				return nil, failed
			}
		}
		element.WriteByte(text[i])
	}
	return nil, failed
}
