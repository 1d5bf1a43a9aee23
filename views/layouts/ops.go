package layouts

// OpsShell is what every page of the ops console shows around its content.
type OpsShell struct {
	Shell
	Role  string // of the person: REVIEWER or SUPERVISOR
	Nav   []NavItem
	Query string // what was searched for, on the page of its results
}

// The sections of the ops console, and what its search posts to.
const (
	OpsQueues       = "queues"
	OpsAccess       = "access"
	OpsDestinations = "destinations"
	OpsWithdrawals  = "withdrawals"
	OpsExceptions   = "exceptions"
	OpsAccounts     = "accounts"
	OpsHealth       = "health"
	OpsAudit        = "audit"
	OpsCheckouts    = "checkouts"
	OpsWebhooks     = "webhooks"
	OpsStaff        = "staff"

	OpsSearchPath = "/ops/buscar"
)

// opsMenu is the id of the console's list of sections.
const opsMenu = "menu-ops"

// waiting is how many things wait for a decision in all sections.
func (s OpsShell) waiting() (total int) {
	for _, item := range s.Nav {
		total += item.Count
	}
	return total
}
