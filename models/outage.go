package models

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrOverloaded reports that more work is waiting than can be done in time. The work was not
// begun, and may be requested again.
var ErrOverloaded = errors.New("models: overloaded")

// unavailableCodes are the SQLSTATEs that say that PostgreSQL cannot do the work now
// (PostgreSQL's documentation, appendix A).
var unavailableCodes = map[string]bool{
	"25006": true, // read_only_sql_transaction
	"25P03": true, // idle_in_transaction_session_timeout
	"25P04": true, // transaction_timeout
	"40001": true, // serialization_failure, after InTx tried again
	"40003": true, // statement_completion_unknown
	"40P01": true, // deadlock_detected, after InTx tried again
	"55P03": true, // lock_not_available
	"57014": true, // query_canceled, by statement_timeout
	"57P01": true, // admin_shutdown
	"57P02": true, // crash_shutdown
	"57P03": true, // cannot_connect_now
	"57P05": true, // idle_session_timeout
}

// unavailableClasses are classes of such SQLSTATEs, by the first two characters:
// connection_exception, insufficient_resources and system_error, such as a failing disk.
var unavailableClasses = map[string]bool{"08": true, "53": true, "58": true}

// lostConnection lists errors, besides network errors, that mean that a connection ended
// during a statement. Canceled is among them, because only a stopping process cancels work.
var lostConnection = []error{
	context.Canceled, pgconn.ErrConnClosed, driver.ErrBadConn, sql.ErrConnDone, net.ErrClosed,
	io.EOF, io.ErrUnexpectedEOF,
}

// Unavailable reports whether err means that the database cannot do the work now: it is lost,
// overloaded, read-only or too slow. The same work may succeed later. It is unknown whether
// the work was done.
func Unavailable(err error) bool { return Outage(err) != "" }

// Outage returns a short description of the outage that err reports, on one line, or "" if
// Unavailable reports false. It replaces the drivers' own texts, which name every host of the
// database on several lines.
func Outage(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrOverloaded):
		return "overloaded"
	}
	pgErr, answered := errors.AsType[*pgconn.PgError](err)
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	switch {
	case answered && (connecting || unavailableCodes[pgErr.Code] ||
		len(pgErr.Code) > 2 && unavailableClasses[pgErr.Code[:2]]):
		return strings.Join(strings.Fields(pgErr.Message), " ") + " (SQLSTATE " + pgErr.Code + ")"
	case answered:
		return ""
	case connecting:
		return "the database cannot be reached"
	case errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err):
		return "the time for the work is over"
	}
	for _, lost := range lostConnection {
		if errors.Is(err, lost) {
			return "the connection to the database was lost"
		}
	}
	if _, network := errors.AsType[net.Error](err); network {
		return "the connection to the database was lost"
	}
	return ""
}
