package models

import "slices"

// Role is the role of a member in an account. The table capabilities says what it may do.
// Exactly one member of an account is its owner.
type Role string

const (
	RoleOwner     Role = "OWNER"
	RoleAdmin     Role = "ADMIN"
	RoleDeveloper Role = "DEVELOPER"
	RoleFinance   Role = "FINANCE"
	RoleViewer    Role = "VIEWER"
)

// Capability is something that members with certain roles may do.
type Capability string

const (
	// See allows reading charges, products, links, keys, endpoints and events, and getting
	// mails about paid charges.
	See Capability = "see"
	// Sell allows creating and canceling charges, and changing products and payment links.
	Sell Capability = "sell"
	// Integrate allows changing keys and endpoints, sending events again, and reading the log
	// of API calls.
	Integrate Capability = "integrate"
	// MoveMoney allows seeing the balance, requesting and canceling withdrawals, changing
	// their destinations, exporting lists, and getting mails about the money.
	MoveMoney Capability = "money"
	// Administer allows changing the team, requesting production access, and changing the
	// account's name and brand.
	Administer Capability = "people"
	// Own allows reading the audit log, transferring the ownership of the account, and getting
	// mails about decisions of staff.
	Own Capability = "own"
	// HearOfFailures allows getting mails about endpoints that fail.
	HearOfFailures Capability = "failures"
)

// capabilities says who may do what in an account (docs/rules.md, "Roles"). It is the only
// source: routes, menus, the team page, the audience of mails, the permissions of keys and the
// operations all use it.
var capabilities = map[Capability][]Role{
	See:            {RoleOwner, RoleAdmin, RoleDeveloper, RoleFinance, RoleViewer},
	Sell:           {RoleOwner, RoleAdmin, RoleDeveloper},
	Integrate:      {RoleOwner, RoleAdmin, RoleDeveloper},
	MoveMoney:      {RoleOwner, RoleAdmin, RoleFinance},
	Administer:     {RoleOwner, RoleAdmin},
	Own:            {RoleOwner},
	HearOfFailures: {RoleOwner, RoleDeveloper},
}

// Can reports whether members with the role have the capability. The empty role, of a person
// who is not a member, has none.
func (r Role) Can(c Capability) bool { return slices.Contains(capabilities[c], r) }

// needs maps each permission to the capability that a member must have to give it to a key,
// because a key never has more rights than its creator. The creator must also be able to
// Integrate.
var needs = map[Permission]Capability{
	PermissionCheckoutCreate:    Sell,
	PermissionCheckoutRead:      See,
	PermissionPaymentLinkCreate: Sell,
	PermissionPaymentLinkRead:   See,
	PermissionBalanceRead:       MoveMoney,
	PermissionWithdrawalCreate:  MoveMoney,
	PermissionWithdrawalRead:    MoveMoney,
}

// KeyRights returns the permissions that members with the role may give to a key, in the
// contract's order, or none if the role may not create keys.
func (r Role) KeyRights() []Permission {
	if !r.Can(Integrate) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(Permissions), func(p Permission) bool { return !r.Can(needs[p]) })
}

// StaffRole is the role of a member of the installation's staff. The table staffCapabilities
// says what it may do.
type StaffRole string

const (
	StaffReviewer   StaffRole = "REVIEWER"
	StaffSupervisor StaffRole = "SUPERVISOR"
)

// StaffCapability is something that staff with certain roles may do.
type StaffCapability string

const (
	// Review allows seeing the console and deciding about requests of merchants: production
	// access, destinations, withdrawals. It includes exceptions, refunds, blocked amounts, an
	// account's switches, notes, replays, and fee proposals.
	Review StaffCapability = "review"
	// SetTerms allows approving and refusing fees, and setting an account's limits.
	SetTerms StaffCapability = "terms"
	// RevokeAccess allows revoking production access.
	RevokeAccess StaffCapability = "revoke"
	// ManageStaff allows changing the roles of staff and ending their sessions.
	ManageStaff StaffCapability = "staff"
	// ManageBanks allows proposing and approving the installation's bank accounts and their
	// credentials, and retiring them.
	ManageBanks StaffCapability = "banks"
	// ManageReasons allows saving, editing and retiring reasons for decisions.
	ManageReasons StaffCapability = "reasons"
	// ReadAudit allows reading the installation's audit log.
	ReadAudit StaffCapability = "audit"
)

// staffCapabilities says which staff may do what, like capabilities for members.
var staffCapabilities = map[StaffCapability][]StaffRole{
	Review:        {StaffReviewer, StaffSupervisor},
	SetTerms:      {StaffSupervisor},
	RevokeAccess:  {StaffSupervisor},
	ManageStaff:   {StaffSupervisor},
	ManageBanks:   {StaffSupervisor},
	ManageReasons: {StaffSupervisor},
	ReadAudit:     {StaffSupervisor},
}

// Can reports whether staff with the role have the capability. The empty role, of a person who
// is not staff, has none.
func (r StaffRole) Can(c StaffCapability) bool { return slices.Contains(staffCapabilities[c], r) }
