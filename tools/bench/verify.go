package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
)

var errScript = errors.New("pgbench would not do the product's work")

// verify runs each file of a script once and rolls it back, because statements that find or
// write nothing would look fast. made is a query that counts the created rows, "" for a
// script that reads.
func (s script) verify(ctx context.Context, conn *pgx.Conn, made string, rows int) error {
	for _, f := range s.files {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		found := 0
		for _, sql := range f.statements {
			if err == nil {
				found, err = count(ctx, tx, s.literal(sql))
			}
		}
		if err == nil && made != "" {
			err = tx.QueryRow(ctx, made).Scan(&found)
		}
		err = errors.Join(err, tx.Rollback(ctx))
		if err != nil {
			return err
		}
		if found < rows {
			return fmt.Errorf("%w: %d rows of %d: %.200s", errScript, found, rows, f.text())
		}
	}
	return nil
}

func count(ctx context.Context, tx pgx.Tx, sql string) (n int, err error) {
	rows, err := tx.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

// variableUse matches a use of a pgbench variable, with the character before it: after a
// second colon it would be a type.
var variableUse = regexp.MustCompile(`([^:]):([a-z][a-z0-9_]*)`)

// literal inserts the values into the text. For the number that pgbench draws it takes one
// from the middle of the data set.
func (s script) literal(sql string) string {
	values := map[string]string{"n": fmt.Sprint(s.middle), "r": fmt.Sprint(s.middle)}
	for _, definition := range s.variables {
		name, value, _ := strings.Cut(definition, "=")
		values[name] = value
	}
	return variableUse.ReplaceAllStringFunc(sql, func(use string) string {
		match := variableUse.FindStringSubmatch(use)
		return match[1] + "'" + strings.ReplaceAll(values[match[2]], "'", "''") + "'"
	})
}
