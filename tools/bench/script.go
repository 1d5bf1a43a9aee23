package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"garoupa/models"
)

// script is what pgbench runs: recorded statements with the recorded values, except those
// that differ between requests.
type script struct {
	files     []file   // of equal weight
	variables []string // name=value
	middle    int      // an example of a number that pgbench draws
}

// file is one transaction.
type file struct {
	choose     string // pgbench's commands that choose the transaction's object
	statements []string
}

// text returns the file for pgbench. Several statements are sent to PostgreSQL together, so
// pgbench does not wait for a round trip between them.
func (f file) text() string {
	if len(f.statements) == 1 {
		return f.choose + "\n" + f.statements[0] + ";\n"
	}
	return f.choose + "\n\\startpipeline\nBEGIN;\n" + strings.Join(f.statements, ";\n") + ";\nCOMMIT;\n\\endpipeline\n"
}

// variation replaces a value that must differ in each request. Values are recognized by
// their form, so a statement's parameters may change their order.
type variation struct {
	looks *regexp.Regexp
	sql   string // replaces the parameter
}

// Shapes of values that PostgreSQL logs.
var (
	checkoutShape = regexp.MustCompile(`^chk_[0-9a-f]{20}$`)
	eventShape    = regexp.MustCompile(`^evt_[0-9a-f]{24}$`)
	paymentShape  = regexp.MustCompile(`^pay_[0-9a-f]{20}$`)
	factShape     = regexp.MustCompile(`^payment/pay_[0-9a-f]{20}$`)
	endToEndShape = regexp.MustCompile(`^E[0-9]{20}[0-9a-zA-Z]{11}$`)
	txIDShape     = regexp.MustCompile(`^[0-9a-zA-Z]{26,35}$`)
	keyShape      = regexp.MustCompile(`^` + keyPrefix + `[0-9a-f]{16}$`)
	externalShape = regexp.MustCompile(`^` + externalPrefix + `[0-9a-f]{16}$`)
	timeShape     = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$`)
)

const timeLayout = "2006-01-02 15:04:05.999999-07"

// hexSQL returns the SQL of the random number r in hex digits.
func hexSQL(prefix string, digits int) string {
	return fmt.Sprintf("('%s' || lpad(to_hex(:r::bigint), %d, '0'))", prefix, digits)
}

// creationScript creates unique checkouts at the current time.
func creationScript(r *recording) (script, error) {
	begun, err := earliest(r.create)
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
	s.add(`\set r random(1, 9223372036854775807)`, sinceNow(begun, rules), r.create)
	return s, nil
}

// sinceNow also varies times: each keeps its distance from the first one, which becomes
// now.
func sinceNow(begun time.Time, rules []variation) func(value string) (string, bool) {
	return func(value string) (string, bool) {
		if at, err := time.Parse(timeLayout, value); err == nil {
			return fmt.Sprintf("(now() + interval '%d seconds')", int(at.Sub(begun).Seconds())), true
		}
		return vary(rules, value)
	}
}

// confirmationScript pays unpaid checkouts, each once: those from the variable first on,
// which the clients divide by their numbers.
func confirmationScript(r *recording) (script, error) {
	begun, err := earliest(r.confirm[1:]...) // the first statement reads what was before
	if err != nil {
		return script{}, err
	}
	const paymentSQL = `('%s' || left(md5('payment' || :n::text), 20))`
	rules := []variation{
		{checkoutShape, fmt.Sprintf(checkoutIDSQL, ":n::integer")},
		{endToEndShape, `('E99999999202601010000' || lpad(:n::text, 11, '0'))`},
		{txIDShape, fmt.Sprintf(txIDSQL, ":n::integer")},
		{paymentShape, fmt.Sprintf(paymentSQL, "pay_")},
		{factShape, fmt.Sprintf(paymentSQL, "payment/pay_")},
		{eventShape, `('evt_' || left(md5('event' || :n::text), 24))`},
	}
	s := script{variables: []string{"k=0"}}
	s.add("\\set n :first + :k * :clients + :client_id\n\\set k :k + 1", sinceNow(begun, rules), r.confirm...)
	return s, nil
}

// from returns the script with the numbers from first on.
func (s script) from(first int) script {
	s.middle = first
	s.variables = append(slices.Clone(s.variables), fmt.Sprintf("first=%d", first))
	return s
}

// balanceScript returns a script that reads the balance.
func balanceScript(r *recording) script {
	var s script
	s.add("", func(string) (string, bool) { return "", false }, r.balance)
	return s
}

// readScript returns a script that reads random checkouts of the data set.
func readScript(r *recording, d *dataset, environment models.Environment) script {
	s := script{middle: d.number(environment, d.each()/2)}
	s.add(d.pick(environment), func(value string) (string, bool) { return vary(d.rules(), value) }, r.read)
	return s
}

// listScript returns a script that lists the first page and the page after a random
// checkout, equally often.
func listScript(r *recording, d *dataset, environment models.Environment) script {
	s := script{middle: d.number(environment, d.each()/2)}
	for _, page := range []statement{r.first, r.deep} {
		s.add(d.pick(environment), func(value string) (string, bool) { return vary(d.rules(), value) }, page)
	}
	return s
}

// pick returns the command that sets n to the number of a random checkout.
func (d *dataset) pick(environment models.Environment) string {
	return fmt.Sprintf(`\set n 2 * random(0, %d) + %d`, d.each()-1, d.number(environment, 0))
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

// add adds statements as one file.
func (s *script) add(choose string, varied func(value string) (string, bool), recorded ...statement) {
	f := file{choose: choose}
	for i, r := range recorded {
		f.statements = append(f.statements,
			strings.TrimSpace(placeholder.ReplaceAllStringFunc(r.sql, func(place string) string {
				n, _ := strconv.Atoi(place[1:]) // the pattern matches only digits
				value := r.values[n-1]
				if value == nil {
					return "NULL"
				}
				if *value == "" {
					return "''" // pgbench has no empty variables
				}
				if sql, ok := varied(*value); ok {
					return sql
				}
				name := fmt.Sprintf("v%d_%d_%d", len(s.files), i, n)
				s.define(name, *value)
				return ":" + name
			})))
	}
	s.files = append(s.files, f)
}

func (s *script) define(name, value string) {
	if definition := name + "=" + value; !slices.Contains(s.variables, definition) {
		s.variables = append(s.variables, definition)
	}
}

// earliest returns the first time among the values of statements.
func earliest(statements ...statement) (first time.Time, err error) {
	for _, s := range statements {
		for _, value := range s.values {
			if value == nil {
				continue
			}
			if at, err := time.Parse(timeLayout, *value); err == nil && (first.IsZero() || at.Before(first)) {
				first = at
			}
		}
	}
	if first.IsZero() {
		return first, fmt.Errorf("the statements contain no time")
	}
	return first, nil
}
