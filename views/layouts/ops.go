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
