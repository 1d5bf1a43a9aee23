package layouts

// OpsShell is the frame of every page of the console.
type OpsShell struct {
	Shell
	Role  string // of the person: REVIEWER or SUPERVISOR
	Nav   []NavItem
	Query string // the searched text, on the page of results
	Mark  string // changes with what waits for staff
}

// KeepCurrent lets the page follow what waits for staff.
func (s *OpsShell) KeepCurrent() { s.Pulse = Pulse{Stream: "/ops/pulso/events", Mark: s.Mark} }

// The sections of the console, and the path of its search.
const (
	OpsQueues       = "queues"
	OpsAccess       = "access"
	OpsDestinations = "destinations"
	OpsWithdrawals  = "withdrawals"
	OpsExceptions   = "exceptions"
	OpsDisputes     = "disputes"
	OpsFees         = "fees"
	OpsNames        = "names"
	OpsAccounts     = "accounts"
	OpsBanks        = "banks"
	OpsHealth       = "health"
	OpsAudit        = "audit"
	OpsCheckouts    = "checkouts"
	OpsWebhooks     = "webhooks"
	OpsStaff        = "staff"
	OpsReasons      = "reasons"

	OpsSearchPath = "/ops/buscar"
)

// opsMenu is the id of the console's list of sections.
const opsMenu = "menu-ops"

// waiting returns the number of things that wait for a decision in all sections.
func (s OpsShell) waiting() (total int) {
	for _, item := range s.Nav {
		total += item.Count
	}
	return total
}
