package dashboard

import (
	"context"
	"strings"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
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
	Factor    *FactorRule // nil: the member is not the owner
}

// FactorRule says whether all members must have a second factor.
type FactorRule struct {
	Required bool
	Owner    bool // the owner has one
	Without  int  // members who have none
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
	Provider                          string // at which the member is linked and the owner may unlink; "" if not
}

func (p MemberProps) facts(ctx context.Context) []components.KeyValue {
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "auth.email"), Value: p.Member.Email},
		{Key: i18n.T(ctx, "team.role"), Value: base.RoleName(ctx, p.Member.Role)},
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

// roleOptions are roles to choose from.
func roleOptions(ctx context.Context, roles []string) []components.SelectOption {
	var options []components.SelectOption
	for _, role := range roles {
		options = append(options, components.SelectOption{Value: role, Label: base.RoleName(ctx, role)})
	}
	return options
}
