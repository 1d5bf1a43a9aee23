package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// script is what pgbench runs: recorded statements, each alone in its transaction,
// with the recorded values, but for those that differ from request to request.
type script struct {
	texts     []string // files of equal weight
	variables []string // name=value
	middle    int      // a number that pgbench might draw
}

// variation is how a value that no two requests share is made afresh. Values are
// told by their looks, so that a statement's parameters may change their order.
type variation struct {
	looks *regexp.Regexp
	sql   string // what stands in the place of the parameter
}

// Shapes of values that PostgreSQL logs.
var (
	checkoutShape = regexp.MustCompile(`^chk_[0-9a-f]{20}$`)
	eventShape    = regexp.MustCompile(`^evt_[0-9a-f]{24}$`)
	txIDShape     = regexp.MustCompile(`^[0-9a-zA-Z]{26,35}$`)
	keyShape      = regexp.MustCompile(`^` + keyPrefix + `[0-9a-f]{16}$`)
	externalShape = regexp.MustCompile(`^` + externalPrefix + `[0-9a-f]{16}$`)
	timeShape     = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$`)
)

const timeLayout = "2006-01-02 15:04:05.999999-07"

// hexSQL is the random number r in as many hex digits.
func hexSQL(prefix string, digits int) string {
	return fmt.Sprintf("('%s' || lpad(to_hex(:r::bigint), %d, '0'))", prefix, digits)
}

// creationScript makes checkouts that nobody made before, now.
func creationScript(r *recording) (script, error) {
	begun, err := earliest(r.create.values)
	if err != nil {
		return script{}, err
	}
	rules := []variation{
		{checkoutShape, hexSQL("chk_", 20)},
		{eventShape, hexSQL("evt_", 24)},
		{txIDShape, hexSQL("", 32)},
		{keyShape, hexSQL(keyPrefix, digits)},
		{externalShape, hexSQL(externalPrefix, digits)},
	}
	var s script
	s.add(`\set r random(1, 9223372036854775807)`, &r.create, func(value string) (string, bool) {
		if at, err := time.Parse(timeLayout, value); err == nil {
			return fmt.Sprintf("(now() + interval '%d seconds')", int(at.Sub(begun).Seconds())), true
		}
		return vary(rules, value)
	})
	return s, nil
}

// readScript reads random checkouts of the data set.
func readScript(r *recording, d *dataset, livemode bool) script {
	s := script{middle: d.number(livemode, d.each()/2)}
	s.add(d.pick(livemode), &r.read, func(value string) (string, bool) { return vary(d.rules(), value) })
	return s
}

// listScript lists the first page and the one after a random checkout, as often.
func listScript(r *recording, d *dataset, livemode bool) script {
	s := script{middle: d.number(livemode, d.each()/2)}
	for _, page := range []*statement{&r.first, &r.deep} {
		s.add(d.pick(livemode), page, func(value string) (string, bool) { return vary(d.rules(), value) })
	}
	return s
}

// pick sets n to the number of a random checkout.
func (d *dataset) pick(livemode bool) string {
	return fmt.Sprintf(`\set n 2 * random(0, %d) + %d`, d.each()-1, d.number(livemode, 0))
}

func (d *dataset) rules() []variation {
	return []variation{
		{checkoutShape, fmt.Sprintf(checkoutIDSQL, ":n::integer")},
		{timeShape, d.createdAtSQL(":n::integer")},
	}
}

func vary(rules []variation, value string) (sql string, ok bool) {
	for _, rule := range rules {
		if rule.looks.MatchString(value) {
			return rule.sql, true
		}
	}
	return "", false
}

// add adds a statement as a file of its own.
func (s *script) add(before string, recorded *statement, varied func(value string) (string, bool)) {
	file := len(s.texts)
	text := placeholder.ReplaceAllStringFunc(recorded.sql, func(place string) string {
		n, _ := strconv.Atoi(place[1:]) // the pattern lets only digits through
		value := recorded.values[n-1]
		if value == nil {
			return "NULL"
		}
		if sql, ok := varied(*value); ok {
			return sql
		}
		name := fmt.Sprintf("v%d_%d", file, n)
		s.define(name, *value)
		return ":" + name
	})
	s.texts = append(s.texts, before+"\n"+strings.TrimSpace(text)+";\n")
}

func (s *script) define(name, value string) {
	if definition := name + "=" + value; !slices.Contains(s.variables, definition) {
		s.variables = append(s.variables, definition)
	}
}

// earliest is the first of the times among values.
func earliest(values []*string) (first time.Time, err error) {
	for _, value := range values {
		if value == nil {
			continue
		}
		if at, err := time.Parse(timeLayout, *value); err == nil && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if first.IsZero() {
		return first, fmt.Errorf("a creation without a time cannot be repeated")
	}
	return first, nil
}
