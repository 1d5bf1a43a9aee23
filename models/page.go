package models

import (
	"strconv"
	"time"
)

// Position is a place in the order of a list.
type Position struct {
	CreatedAt time.Time
	ID        string
}

// Number returns the id of a row whose table numbers its rows, or 0 if p is nil or has another
// id.
func (p *Position) Number() int64 {
	if p == nil {
		return 0
	}
	n, err := strconv.ParseInt(p.ID, 10, 64)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// numbered returns the position of a row whose table numbers its rows.
func numbered(at time.Time, id int64) Position { return Position{at, strconv.FormatInt(id, 10)} }

// Page is a part of a list.
type Page[T any] struct {
	Rows []T
	Next *Position // the last row, if others follow; nil at the end of the list
}

// ReadPage reads a page of at most size rows. read returns the first rows of the page, at most
// limit of them: one more than size, which shows whether others follow.
func ReadPage[T interface{ Position() Position }](size int, read func(limit int) ([]T, error)) (Page[T], error) {
	rows, err := read(size + 1)
	if err != nil || len(rows) <= size {
		return Page[T]{Rows: rows}, err
	}
	next := rows[size-1].Position()
	return Page[T]{Rows: rows[:size], Next: &next}, nil
}
