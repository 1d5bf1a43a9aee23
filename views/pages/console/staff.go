package console

import (
	"time"

	"garoupa/views/layouts"
)

// OutcomeRemove takes a person off the staff, in place of a role.
const OutcomeRemove = "REMOVE"

// StaffProps is GET /ops/operadores: who works for the installation.
type StaffProps struct {
	Shell   layouts.OpsShell
	Rows    []StaffRow
	Problem string // why nothing was done
	Changed string // who was first; "" if no one was
}

// StaffRow is a person of staff. Its form posts to /ops/operadores/{id}: version, the
// role that was looked at, and role, another one or OutcomeRemove.
type StaffRow struct {
	ID, Name, Email string
	Role            string
	You             bool
	SecondFactor    bool // a code generator or a passkey
	Linked          bool // to an account at the log-in provider
	Since           time.Time
	Sessions        int
	LastSeen        *time.Time // nil: no session
	LastIP          string
}

// other is the role that the person does not have.
func (r StaffRow) other() string {
	if r.Role == "SUPERVISOR" {
		return "REVIEWER"
	}
	return "SUPERVISOR"
}
