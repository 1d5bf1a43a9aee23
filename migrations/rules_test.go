package migrations_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ruledFrom is the first file that the rules apply to. Earlier files were on main before the
// rules.
const ruledFrom = 43

// excusedFiles broke a rule before the rule existed. Files on main are not edited.
var excusedFiles = map[int]string{
	43: "refunds are made by people and are few",
}

// declaredFrom is the first file that must declare compatibility. Every program that reads
// declarations has the earlier files.
const declaredFrom = 51

// Migrations run beside serving programs, of this version and of the one before
// (docs/decisions/0048). So no statement holds a table's lock while it reads or writes the
// table, and each file declares what it means for older programs.
func TestRules(t *testing.T) {
	t.Parallel()
	for number, name := range numbered(t) {
		if number < ruledFrom || excusedFiles[number] != "" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, flaw := range flaws(string(text), number >= declaredFrom) {
			t.Errorf("%s: %s", name, flaw)
		}
	}
}

// excused matches the comment line that excuses the next statement from the rules.
var excused = regexp.MustCompile(`(?m)^\s*-- locks: \S`)

var says = regexp.MustCompile(`(?m)^-- (compatible with \d{5}|breaking): \S`)

// rule forbids statements on tables that the file did not make itself.
type rule struct {
	bad  *regexp.Regexp
	fine *regexp.Regexp // a statement that also matches this is allowed
	why  string
}

func pattern(text string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)` + strings.ReplaceAll(text, " ", `\s+`))
}

var rules = []rule{
	{
		pattern(`^CREATE (UNIQUE )?INDEX\b`),
		pattern(`INDEX CONCURRENTLY`),
		"locks out writers while it reads the table: CREATE INDEX CONCURRENTLY",
	},
	{
		pattern(`^REINDEX\b`),
		pattern(`CONCURRENTLY`),
		"locks out writers while it reads the table: REINDEX CONCURRENTLY",
	},
	{
		pattern(`\bADD (CONSTRAINT \w+ )?(CHECK|FOREIGN KEY)\b`),
		pattern(`NOT VALID`),
		"locks the table while it reads it: NOT VALID, and VALIDATE CONSTRAINT apart",
	},
	{
		pattern(`\bADD (CONSTRAINT \w+ )?(UNIQUE|PRIMARY KEY|EXCLUDE)\b`),
		pattern(`USING INDEX`),
		"locks the table while it builds an index: CREATE UNIQUE INDEX CONCURRENTLY, then USING INDEX",
	},
	{
		pattern(`\bADD COLUMN (IF NOT EXISTS )?\w+ [^;]*?\b(CHECK|REFERENCES|UNIQUE|PRIMARY KEY)\b`),
		pattern(`NOT VALID|USING INDEX`),
		"locks the table while it reads it: add the column, and the constraint as NOT VALID",
	},
	{
		pattern(`\bADD COLUMN\b[^;]*(STORED|AS IDENTITY|SERIAL|random|uuid|clock_timestamp|nextval)`),
		nil,
		"writes the table anew under a lock: add the column without a default, and fill it in parts",
	},
	{
		pattern(`\bALTER (COLUMN )?\w+ (SET DATA )?TYPE\b`),
		nil,
		"may write the table anew under a lock: add a column of the new type",
	},
	{
		pattern(`\bALTER (COLUMN )?\w+ SET NOT NULL\b`),
		nil,
		"locks the table while it reads it: CHECK (… IS NOT NULL) NOT VALID, and VALIDATE CONSTRAINT apart",
	},
	{
		pattern(`^(UPDATE|DELETE FROM|INSERT INTO \w+ .*\bSELECT)\b`),
		nil,
		"locks every row until all are written: fill in parts, by a job",
	},
	{
		pattern(`^(LOCK|CLUSTER|VACUUM|TRUNCATE)\b`),
		nil,
		"locks a table",
	},
}

var (
	made  = pattern(`^CREATE TABLE (IF NOT EXISTS )?(\w+)`)
	names = pattern(`^(?:CREATE (?:UNIQUE )?INDEX .*? ON|ALTER TABLE(?: IF EXISTS)?(?: ONLY)?|` +
		`UPDATE|DELETE FROM|INSERT INTO|LOCK TABLE) (\w+)`)
	validates  = pattern(`\bVALIDATE CONSTRAINT\b`)
	repeatable = pattern(`\bIF (NOT )?EXISTS\b|ON CONFLICT|OR REPLACE|^(SET|RESET) |` +
		`\bALTER COLUMN \w+ DROP NOT NULL;$|\bVALIDATE CONSTRAINT\b|\b(SET|DROP) DEFAULT\b`)
	buildsOne = pattern(`^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+) ON`)
)

// flaws returns the rules that a file breaks.
func flaws(text string, declares bool) (found []string) {
	up, _, _ := strings.Cut(text, "-- +goose Down")
	alone := strings.Contains(up, "-- +goose NO TRANSACTION")
	if declares && !says.MatchString(up) {
		found = append(found, "the file does not contain “-- compatible with 000NN: why” or “-- breaking: why”")
	}
	var own, dropped []string
	for _, s := range statements(up) {
		if match := made.FindStringSubmatch(s.sql); match != nil {
			own = append(own, match[2])
		}
		if match := names.FindStringSubmatch(s.sql); !s.excused && (match == nil || !slices.Contains(own, match[1])) {
			for _, r := range rules {
				if r.bad.MatchString(s.sql) && (r.fine == nil || !r.fine.MatchString(s.sql)) {
					found = append(found, fmt.Sprintf("%s: %s", s.head(), r.why))
				}
			}
		}
		if !alone {
			if validates.MatchString(s.sql) {
				found = append(found, s.head()+": in one transaction with what locked the table: NO TRANSACTION")
			}
			continue
		}
		if strings.Contains(s.sql, "DROP INDEX CONCURRENTLY IF EXISTS") {
			dropped = append(dropped, strings.TrimSuffix(strings.Fields(s.sql)[5], ";"))
		}
		index := buildsOne.FindStringSubmatch(s.sql)
		if index != nil && !slices.Contains(dropped, index[1]) {
			found = append(found, s.head()+": what a run left that was cut off is not valid: DROP INDEX CONCURRENTLY "+
				"IF EXISTS first")
		}
		if index == nil && !repeatable.MatchString(s.sql) {
			found = append(found, s.head()+": without a transaction a statement may run again: IF NOT EXISTS")
		}
	}
	return found
}

// statement is one statement of a file, without comments.
type statement struct {
	sql     string
	excused bool
}

func (s statement) head() string { return s.sql[:min(len(s.sql), 60)] }

// statements splits SQL at its semicolons, except in the bodies of functions.
func statements(sql string) (all []statement) {
	var text, comments strings.Builder
	inBody := false
	for line := range strings.Lines(sql) {
		code, comment, _ := strings.Cut(line, "--")
		if comment != "" && strings.TrimSpace(code) == "" {
			comments.WriteString(line)
		}
		if strings.Count(code, "$$")%2 == 1 {
			inBody = !inBody
		}
		text.WriteString(code)
		if !inBody && strings.HasSuffix(strings.TrimSpace(code), ";") {
			all = append(all, statement{strings.TrimSpace(text.String()), excused.MatchString(comments.String())})
			text.Reset()
			comments.Reset()
		}
	}
	return all
}

// The rules find the statements they are meant to find, and no others.
func TestRules_Find(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string][]string{
		"CREATE INDEX a ON checkouts (id);":                                     {"CREATE INDEX CONCURRENTLY"},
		"CREATE UNIQUE INDEX a\n ON checkouts (id);":                            {"CREATE INDEX CONCURRENTLY"},
		"-- locks: ten rows\nCREATE INDEX a ON settings (id);":                  nil,
		"CREATE TABLE a (id text REFERENCES b);\nCREATE INDEX c ON a (id);":     nil,
		"CREATE INDEX CONCURRENTLY a ON checkouts (id);":                        nil,
		"ALTER TABLE a ADD CONSTRAINT c CHECK (b > 0);":                         {"NOT VALID"},
		"ALTER TABLE a ADD CONSTRAINT c CHECK (b > 0) NOT VALID;":               nil,
		"ALTER TABLE a ADD CONSTRAINT c FOREIGN KEY (b) REFERENCES d;":          {"NOT VALID"},
		"ALTER TABLE a ADD CONSTRAINT c UNIQUE (b);":                            {"USING INDEX"},
		"ALTER TABLE a ADD COLUMN b text CHECK (b <> '');":                      {"NOT VALID"},
		"ALTER TABLE a ADD COLUMN b text REFERENCES c;":                         {"NOT VALID"},
		"ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT '';":                  nil,
		"ALTER TABLE a ADD COLUMN b bigint GENERATED ALWAYS AS (c + 1) STORED;": {"anew"},
		"ALTER TABLE a ALTER COLUMN b TYPE bigint;":                             {"anew"},
		"ALTER TABLE a ALTER COLUMN b SET NOT NULL;":                            {"IS NOT NULL"},
		"ALTER TABLE a ALTER COLUMN b SET DEFAULT 1;":                           nil,
		"UPDATE a SET b = 1;":                                                   {"in parts"},
		"CREATE TABLE a (b int);\nINSERT INTO a SELECT 1;":                      nil,
		"INSERT INTO a (b) VALUES (1);":                                         nil,
		"ALTER TABLE a ADD CONSTRAINT c CHECK (b > 0) NOT VALID;\n" +
			"ALTER TABLE a VALIDATE CONSTRAINT c;": {"NO TRANSACTION"},
		"-- +goose NO TRANSACTION\nDROP INDEX CONCURRENTLY IF EXISTS a;\n" +
			"CREATE INDEX CONCURRENTLY a ON b (c);": nil,
		"-- +goose NO TRANSACTION\nCREATE INDEX CONCURRENTLY a ON b (c);": {"DROP INDEX"},
		"-- +goose NO TRANSACTION\nALTER TABLE a ADD COLUMN b text;":      {"IF NOT EXISTS"},
		"CREATE FUNCTION a() RETURNS trigger LANGUAGE plpgsql AS $$\n" +
			"BEGIN\nUPDATE b SET c = 1;\nEND $$;": nil,
	} {
		got := flaws(sql, false)
		if len(got) != len(want) || len(want) > 0 && !strings.Contains(got[0], want[0]) {
			t.Errorf("%s\nhas %q, want %q", sql, got, want)
		}
	}
	for _, line := range []string{"-- breaking: drops a column", "-- compatible with 00042: adds a column"} {
		if got := flaws(line+"\nALTER TABLE a DROP COLUMN b;", true); got != nil {
			t.Errorf("a file with %s has %q", line, got)
		}
	}
	if got := flaws("SELECT 1;", true); len(got) != 1 {
		t.Errorf("a file that declares nothing has %q", got)
	}
}
