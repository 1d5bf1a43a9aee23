package account

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// SecurityFrame is what is around the pages of a person's log-in.
type SecurityFrame struct {
	layouts.Shell
	Ops  *layouts.OpsShell // the frame in the console; nil in the dashboard
	Base string            // the path of the first of them, under which their forms post
}

// SecurityProps is GET /app/configuracoes/seguranca and GET /ops/seguranca. Fields of the
// password's form: current, password.
type SecurityProps struct {
	SecurityFrame
	EmailVerified bool
	FixedEmail    bool         // the address is not the person's to change: they are of staff
	NewEmail      *EmailChange // waits to be proven; nil: none
	HasPassword   bool         // false: the person logs in by passkeys alone
	HasPasskeys   bool         // the installation's address is one that browsers make passkeys for
	Passkeys      []PasskeyRow
	MorePasskeys  bool // another may be added
	TOTP          bool // a code is asked for at log-in
	HasRecovery   bool // the log-in has a second step, for which there are recovery codes
	RecoveryLeft  int  // recovery codes that were not used
	Sessions      []SessionRow
	LogIns        []LogInRow // newest first
	SSO           SSO
	Linked        bool // to an account at the provider
	Errors        components.FieldErrors
}

// subtitle says what the page is about, and of a merchant's member that it is one log-in
// for all accounts.
func (p SecurityProps) subtitle(ctx context.Context) string {
	if p.Ops != nil {
		return i18n.T(ctx, "security.subtitle_ops")
	}
	return i18n.T(ctx, "security.subtitle")
}

// onlyWay reports that a person could not log in without the link to the provider.
func (p SecurityProps) onlyWay() bool {
	return !p.SSO.Only && !p.HasPassword && (!p.HasPasskeys || len(p.Passkeys) == 0)
}

// EmailChange is an address that a link was sent to.
type EmailChange struct {
	Email string
	Until time.Time // when the link expires
}

// NewEmailPath takes the address that a person wants in place of theirs; below it,
// "/cancelar" takes that back.
const NewEmailPath = "/trocar-email"

// fewCodes is how many recovery codes are so few that the page says so.
const fewCodes = 3

// SessionRow is one browser that is logged in.
type SessionRow struct {
	ID      string
	Device  string // "Chrome · Windows", "" if unknown
	IP      string // where it logged in
	SeenAt  time.Time
	Current bool // the one that looks
}
