package models

import (
	"fmt"
	"strconv"
)

// where collects the arguments of a statement, and the conditions of its filters.
type where struct {
	args []any
	sql  string // " AND …" for each condition
}

// arg adds an argument and returns its placeholder, "$1" for the first.
func (w *where) arg(value any) string {
	w.args = append(w.args, value)
	return "$" + strconv.Itoa(len(w.args))
}

// and adds a condition, in which each %s becomes the placeholder of a value.
func (w *where) and(condition string, values ...any) {
	places := make([]any, len(values))
	for i, value := range values {
		places[i] = w.arg(value)
	}
	w.sql += " AND " + fmt.Sprintf(condition, places...)
}

// after adds the condition that two columns are after a position in the order of a list: "<"
// for newest first, ">" for oldest first. A nil position is the beginning.
func (w *where) after(columns, sign string, position *Position) {
	if position != nil {
		w.and("("+columns+") "+sign+" (%s, %s)", position.CreatedAt, position.ID)
	}
}
