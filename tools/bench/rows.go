package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The product may write the rows of several requests by one statement, which takes each
// column as an array.
var (
	columnArrays = regexp.MustCompile(`unnest\((\$\d+::[a-z]+\[\](?:,\s*\$\d+::[a-z]+\[\])*)\)`)
	placeholder  = regexp.MustCompile(`\$\d+`)
)

// plain rewrites a statement over arrays for the single row that the arrays hold. pgbench
// measures one request in a transaction, and unpacking arrays would slow it down by a
// sixth.
func (s statement) plain() (statement, error) {
	match := columnArrays.FindStringSubmatch(s.sql)
	if match == nil {
		return s, nil
	}
	var columns [][]*string
	for _, place := range placeholder.FindAllString(match[1], -1) {
		n, _ := strconv.Atoi(place[1:]) // the pattern matches only digits
		if n < 1 || n > len(s.values) || s.values[n-1] == nil {
			return statement{}, fmt.Errorf("%s of %.80q is not an array", place, s.sql)
		}
		column, err := elements(*s.values[n-1])
		if err != nil {
			return statement{}, err
		}
		if columns = append(columns, column); len(column) != len(columns[0]) {
			return statement{}, fmt.Errorf("the arrays of %.80q are not of one length", s.sql)
		}
	}
	out := statement{values: slices.Clone(s.values)}
	rows := make([]string, len(columns[0]))
	for row := range rows {
		column := 0
		rows[row] = "(" + placeholder.ReplaceAllStringFunc(strings.ReplaceAll(match[1], "[]", ""),
			func(place string) string {
				value := columns[column][row]
				column++
				if row == 0 { // the array's parameter is free
					n, _ := strconv.Atoi(place[1:])
					out.values[n-1] = value
					return place
				}
				out.values = append(out.values, value)
				return "$" + strconv.Itoa(len(out.values))
			}) + ")"
	}
	out.sql = strings.Replace(s.sql, match[0], "(VALUES "+strings.Join(rows, ", ")+")", 1)
	return out, nil
}

// elements parses a non-empty array in PostgreSQL's text form: {a,"b \" c",NULL}, whose
// last element is nil.
func elements(array string) (all []*string, err error) {
	failed := fmt.Errorf("%.80q is not an array", array)
	text, opened := strings.CutPrefix(array, "{")
	text, closed := strings.CutSuffix(text, "}")
	if !opened || !closed || text == "" {
		return nil, failed
	}
	for {
		element, rest, ok := nextElement(text)
		if !ok {
			return nil, failed
		}
		all = append(all, element)
		if rest == "" {
			return all, nil
		}
		if text, ok = strings.CutPrefix(rest, ","); !ok {
			return nil, failed
		}
	}
}

// nextElement returns the first element of text, and the text after it.
func nextElement(text string) (element *string, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		bare := text
		if end := strings.IndexByte(text, ','); end >= 0 {
			bare, rest = text[:end], text[end:]
		}
		if bare == "" || strings.ContainsAny(bare, `"\{}`) {
			return nil, "", false
		}
		if bare == "NULL" {
			return nil, rest, true
		}
		return &bare, rest, true
	}
	var quoted strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			read := quoted.String()
			return &read, text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return nil, "", false
			}
		}
		quoted.WriteByte(text[i])
	}
	return nil, "", false
}
