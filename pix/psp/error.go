package psp

import (
	"fmt"
	"strings"
	"time"
)

// Kind says what to do about an error of a bank.
type Kind string

// The kinds of errors.
const (
	// Invalid is a request that the bank refuses for good (400, 422). Repeating it is useless.
	Invalid Kind = "invalid"
	// Unauthorized means that the bank refuses the credentials (401), also with a new token. It
	// is useless to try again within a minute.
	Unauthorized Kind = "unauthorized"
	// Forbidden means that the token lacks a scope, or the contract an operation (403).
	Forbidden Kind = "forbidden"
	// NotFound means that the bank has no such record (404, 410). For some seconds after a write
	// this is not to be believed.
	NotFound Kind = "not found"
	// Conflict means that the record exists and is another one, or cannot be changed any more.
	// Read and compare it.
	Conflict Kind = "conflict"
	// Limited means that the bank wants fewer requests (429), for RetryAfter at least.
	Limited Kind = "limited"
	// Unavailable means that the request was certainly not carried out: there was no connection,
	// no token, or the bank did not answer before.
	Unavailable Kind = "unavailable"
	// Ambiguous means that the request may have been carried out: read before repeating it.
	Ambiguous Kind = "ambiguous"
	// Protocol is an answer that is not to be believed: another amount or key, a code that
	// cannot be paid, no JSON.
	Protocol Kind = "protocol"
)

// Refused reports whether the institution refuses the request itself, so that it is useless to
// repeat it.
func (k Kind) Refused() bool {
	return k == Invalid || k == Forbidden || k == Conflict || k == Protocol
}

// Violation is a rule that a request broke (violacoes of BACEN's API Pix). The value that broke
// it is left out, because it may be personal data.
type Violation struct {
	Property string
	Reason   string
}

// Error is an error of a bank. It has no personal data.
type Error struct {
	Kind       Kind
	Op         string // what was asked, such as "put charge"
	Status     int    // of HTTP; 0 without an answer
	Type       string // the bank's name of the error, such as CobNaoEncontrado
	Detail     string // in the bank's words or ours, shortened and masked
	Violations []Violation
	RetryAfter time.Duration // for Limited and Unavailable, 0 if not known
	Err        error         // what caused it, if anything
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "bank: %s: %s", e.Op, e.Kind)
	if e.Kind.Refused() {
		b.WriteString(", the institution refused")
	}
	if e.Status > 0 {
		fmt.Fprintf(&b, " (%d", e.Status)
		if e.Type != "" {
			b.WriteString(" " + e.Type)
		}
		b.WriteByte(')')
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	for _, v := range e.Violations {
		b.WriteString("; " + v.Property)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports that every error of a bank is ErrUnavailable.
func (e *Error) Is(target error) bool { return target == ErrUnavailable }
