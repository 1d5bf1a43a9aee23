package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// statement is SQL as the product sent it, with the values of its parameters in
// PostgreSQL's text form; nil is NULL.
type statement struct {
	sql    string
	values []*string
}

// mentions reports whether one of the values contains one of the ids.
func (s *statement) mentions(ids []string) bool {
	return slices.ContainsFunc(s.values, func(value *string) bool {
		return value != nil && slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(*value, id) })
	})
}

var (
	logEntry   = regexp.MustCompile(`^\S+ \S+ \S+ \[\d+\] ([A-Z0-9]+):  ((?s).*)$`)
	executed   = regexp.MustCompile(`^execute [^:]+: ((?s).*)$`)
	parameters = "parameters: "
)

// parseLog reads the statements that PostgreSQL logged with log_statement=all and the
// default verbosity: an entry with the text and, if it has parameters, an entry with their
// values. Lines within an entry begin with a tab.
func parseLog(log string) (statements []statement, err error) {
	log = strings.ReplaceAll(log, "\n\t", "\x00")
	for line := range strings.Lines(log) {
		entry := logEntry.FindStringSubmatch(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\x00", "\n"))
		if entry == nil {
			continue
		}
		if text := executed.FindStringSubmatch(entry[2]); entry[1] == "LOG" && text != nil {
			statements = append(statements, statement{sql: text[1]})
		}
		if list, ok := strings.CutPrefix(entry[2], parameters); entry[1] == "DETAIL" && ok && len(statements) > 0 {
			if statements[len(statements)-1].values, err = parseValues(list); err != nil {
				return nil, err
			}
		}
	}
	return statements, nil
}

// parseValues reads $1 = 'it”s', $2 = NULL, …
func parseValues(list string) (values []*string, err error) {
	for rest := list; rest != ""; {
		var ok bool
		if rest, ok = strings.CutPrefix(rest, fmt.Sprintf("$%d = ", len(values)+1)); !ok {
			return nil, fmt.Errorf("PostgreSQL logged parameters that cannot be read: %.200s", list)
		}
		if after, isNull := strings.CutPrefix(rest, "NULL"); isNull {
			values, rest = append(values, nil), after
		} else {
			value, after, ok := unquote(rest)
			if !ok {
				return nil, fmt.Errorf("PostgreSQL logged parameters that cannot be read: %.200s", list)
			}
			values, rest = append(values, &value), after
		}
		rest = strings.TrimPrefix(rest, ", ")
	}
	return values, nil
}

// unquote returns the quoted text at the beginning of s, and the rest.
func unquote(s string) (text, rest string, ok bool) {
	if !strings.HasPrefix(s, "'") {
		return "", s, false
	}
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			i++
			continue
		}
		return strings.ReplaceAll(s[1:i], "''", "'"), s[i+1:], true
	}
	return "", s, false
}
