package pages

import (
	"context"
	"strings"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// Roles are those of members, in the order of the table of duties.
var Roles = []string{"OWNER", "ADMIN", "DEVELOPER", "FINANCE", "VIEWER"}

// TeamProps is GET /app/equipe.
type TeamProps struct {
	layouts.Shell
	CanManage bool // the member's role looks after the team
	Members   []MemberRow
	Invites   []InviteRow // open ones
	Duties    []DutyRow
}

// MemberRow is a person of the team.
type MemberRow struct {
	ID, Name, Email string
	Role            string
	TOTP            bool // a code is asked for at log-in
	Passkey         bool // there is one to log in with
	JoinedAt        time.Time
	SeenAt          *time.Time
	Self            bool
}

// InviteRow is an invitation that was not accepted yet.
type InviteRow struct {
	ID, Email, Role   string
	SentAt, ExpiresAt time.Time
	Expired           bool
}

// DutyRow is something that some roles may do. ID names its text; May is in the order
// of Roles.
type DutyRow struct {
	ID  string
	May []bool
}

// InviteFormProps is GET /app/equipe/convidar. Fields: email, role.
type InviteFormProps struct {
	layouts.Shell
	Email, Role string
	Roles       []string // that can be given
	Errors      components.FieldErrors
}

// MemberProps is GET /app/equipe/:id. Fields of the role's form: role.
type MemberProps struct {
	layouts.Shell
	Member                            MemberRow
	Roles                             []string
	CanChange, CanRemove, CanHandOver bool
}

func (p MemberProps) facts(ctx context.Context) []components.KeyValue {
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "auth.email"), Value: p.Member.Email},
		{Key: i18n.T(ctx, "team.role"), Value: roleName(ctx, p.Member.Role)},
		{Key: i18n.T(ctx, "code.title"), Value: p.Member.protection(ctx)},
		{Key: i18n.T(ctx, "team.joined"), Value: i18n.Date(ctx, p.Member.JoinedAt)},
	}
	seen := components.KeyValue{Key: i18n.T(ctx, "team.seen"), Value: i18n.T(ctx, "team.never_seen")}
	if p.Member.SeenAt != nil {
		seen.Value = i18n.DateTime(ctx, *p.Member.SeenAt)
	}
	return append(facts, seen)
}

// end names what can be ended here: a person leaves, and others hand over to them or
// remove them.
func (p MemberProps) end(ctx context.Context) string {
	switch {
	case p.Member.Self:
		return i18n.T(ctx, "team.leave")
	case p.CanHandOver:
		return i18n.T(ctx, "team.end")
	}
	return i18n.T(ctx, "team.remove")
}

// protection is what the person logs in by, besides a password.
func (m MemberRow) protection(ctx context.Context) string {
	var ways []string
	if m.Passkey {
		ways = append(ways, i18n.T(ctx, "team.by_passkey"))
	}
	if m.TOTP {
		ways = append(ways, i18n.T(ctx, "team.by_code"))
	}
	if len(ways) == 0 {
		return i18n.T(ctx, "security.off")
	}
	return strings.Join(ways, "\n")
}

func roleName(ctx context.Context, role string) string { return i18n.T(ctx, "role."+role) }

// roleOptions are roles to choose from.
func roleOptions(ctx context.Context, roles []string) []components.SelectOption {
	var options []components.SelectOption
	for _, role := range roles {
		options = append(options, components.SelectOption{Value: role, Label: roleName(ctx, role)})
	}
	return options
}

// InviteState is how whoever opens an invitation's link stands to it.
type InviteState string

// The states.
const (
	InviteNew    InviteState = "new"    // nobody has the address: a log-in is made
	InviteKnown  InviteState = "known"  // somebody has it, who must log in
	InviteMine   InviteState = "mine"   // they are logged in
	InviteOthers InviteState = "others" // somebody else is logged in
)

// InviteProps is GET and POST /convite/:token. Fields of a newcomer: name, terms where the
// installation has some, and password or passkey.
type InviteProps struct {
	layouts.AuthProps
	State                         InviteState
	Token                         string
	Account, Inviter, Email, Role string
	Visitor                       string // the address of who is logged in
	Name                          string
	Accepted                      bool // the terms of use, as ticked
	ByKey                         bool // a newcomer may make a passkey in place of the password
	Errors                        components.FieldErrors
}

// AccountsProps is GET /app/contas. Fields: account.
type AccountsProps struct {
	layouts.Shell
	Accounts []AccountRow
}

// AccountRow is an account that the person is a member of.
type AccountRow struct {
	ID, Name, Role string
	Current        bool
}
