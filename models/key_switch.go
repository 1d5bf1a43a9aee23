package models

// KeySwitch is something that no permission of a key includes, and that a person turns on or off for
// a key. It is the name of its column of api_keys, and of its fact in the audit log.
type KeySwitch string

const (
	// KeyRefunds lets a key refund.
	KeyRefunds KeySwitch = "refunds"
	// KeyEvents lets a key read events and have them sent again.
	KeyEvents KeySwitch = "events"
	// KeyAudit lets a live key read the account's audit log.
	KeyAudit KeySwitch = "audit"
)

// KeySwitches lists all switches.
var KeySwitches = []KeySwitch{KeyRefunds, KeyEvents, KeyAudit}

// Has reports whether the switch is on.
func (k *APIKey) Has(s KeySwitch) bool {
	switch s {
	case KeyRefunds:
		return k.Refunds
	case KeyEvents:
		return k.Events
	case KeyAudit:
		return k.Audit
	}
	return false
}

// SetKeySwitch turns a switch of a key of the scope on or off. It reports false if there is no such
// key, if the key was revoked, or if nothing changed.
func SetKeySwitch(tx *Tx, scope Scope, id string, s KeySwitch, on bool) (changed bool, err error) {
	column := string(s) // a constant and no input
	return tx.execOne("UPDATE api_keys SET "+column+` = $4
		WHERE id = $1 AND project_id = $2 AND livemode = $3 AND revoked_at IS NULL AND `+column+" <> $4",
		id, scope.ProjectID, scope.Environment, on)
}
