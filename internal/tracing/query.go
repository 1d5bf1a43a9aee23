package tracing

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// Query begins a span for a statement below that of ctx. The statement must have placeholders for its arguments.
func Query(ctx context.Context, statement string) *Span {
	s := of(ctx)
	if !s.recorded() {
		return nil
	}
	summary := s.tracer.summaries.of(statement)
	_, span := s.below(ctx, summary, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", "postgresql"),
			attribute.String("db.query.text", statement)))
	span.writes = !strings.HasPrefix(summary, "SELECT")
	return span
}

// Rows says how many rows a statement affected or returned.
func (s *Span) Rows(n int64) {
	if s != nil && s.writes && n > 0 {
		s.sweep.found()
	}
}

// statementsKept is for how many statements a process keeps the summary: more than the program has constants.
const statementsKept = 2000

// summaries keeps the summaries of statements.
type summaries struct {
	known sync.Map
	kept  atomic.Int64
}

func (s *summaries) of(statement string) string {
	if summary, ok := s.known.Load(statement); ok {
		return summary.(string)
	}
	summary := summarize(statement)
	if s.kept.Add(1) <= statementsKept {
		s.known.Store(statement, summary)
	}
	return summary
}

// summarize returns the operation of a statement and the first table that it names, such as "INSERT checkouts". In
// a WITH the first operation that writes counts.
func summarize(statement string) string {
	var operation, summary, last string // last is the word before
	with, follows := false, false       // follows: the next word is a table
	for word := range strings.FieldsFuncSeq(statement, notInName) {
		upper := strings.ToUpper(word)
		switch {
		case follows && upper != "ONLY":
			if summary = operation + " " + strings.Trim(word, `"`); !with || operation != "SELECT" {
				return summary
			}
			follows = false
		case upper == "WITH" && last == "":
			with = true
		case upper == "INTO" || upper == "FROM":
			follows = operation != "" && summary == ""
		case upper == "SELECT":
			if operation == "" {
				operation = upper
			}
		case upper == "INSERT", upper == "DELETE",
			upper == "UPDATE" && last != "FOR" && last != "KEY" && last != "DO":
			if operation == "" || with {
				operation, summary, follows = upper, "", upper == "UPDATE"
			}
		case last == "" && !with:
			return upper // BEGIN, COMMIT, SET, LOCK
		}
		last = upper
	}
	switch {
	case summary != "":
		return summary
	case operation != "":
		return operation
	}
	return "SQL"
}

// notInName reports whether a name of SQL, quoted or not, cannot have the character.
func notInName(r rune) bool {
	return r != '_' && r != '"' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}
