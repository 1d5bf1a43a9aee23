package pages

import (
	"context"
	"slices"
	"strings"
	"time"

	"garoupa/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// AuditRow is one line of the audit log. What a reader may not know is left out.
type AuditRow struct {
	ID        int64
	At        time.Time
	Action    string
	Who       string // in words; "" is the installation itself
	WhoEmail  string
	WhoRole   string // of an account or of staff; "" for none, and where it is not the reader's to know
	Account   string // its name; "" where it is the page's
	AccountID string
	ObjectID  string
	Changes   []AuditChange
	Details   []components.KeyValue
	IP        string
	RequestID string
}

// AuditChange is one fact, before and after; "" is none.
type AuditChange struct {
	Name, Before, After string
}

// AuditFields are the fields of the filter, as typed. Their names are subject, actor,
// object, request, account (in the console), from and until.
type AuditFields struct {
	Subject, Actor, Object, Request, Account, From, Until string
}

// AuditList is the log, or what passes the filter.
type AuditList struct {
	Path     string // of the page
	Export   string // of the file, with the filter
	Fields   AuditFields
	Subjects []string
	Errors   components.FieldErrors
	Rows     []AuditRow
	Pager    components.PagerProps
}

// AuditProps is GET /app/auditoria: the acts on the merchant's own account.
type AuditProps struct {
	Shell layouts.Shell
	List  AuditList
}

// OpsAuditProps is GET /ops/auditoria: all acts.
type OpsAuditProps struct {
	Shell layouts.OpsShell
	Seal  AuditSeal
	List  AuditList
}

// AuditSeal says how far the log is sealed, and whether it agrees with its seals.
type AuditSeal struct {
	Through   int64 // the last line; 0: nothing is sealed yet
	ThroughAt time.Time
	Lines     int64
	SHA256    string     // of the last seal, in hexadecimal
	CheckedAt *time.Time // nil: never
	Flaws     []string   // in words
}

// filtered reports whether there is a filter.
func (l AuditList) filtered() bool { return l.Fields != AuditFields{} }

func (l AuditList) subjects(ctx context.Context) []components.SelectOption {
	options := []components.SelectOption{{Label: i18n.T(ctx, "audit.subject_all")}}
	for _, subject := range l.Subjects {
		options = append(options, components.SelectOption{Value: subject, Label: i18n.T(ctx, "audit.subject_"+subject)})
	}
	slices.SortStableFunc(options[1:], func(a, b components.SelectOption) int { return compareText(a.Label, b.Label) })
	return options
}

// compareText orders words as a list shows them: their marks do not matter.
func compareText(a, b string) int {
	return strings.Compare(plainLetters.Replace(strings.ToLower(a)), plainLetters.Replace(strings.ToLower(b)))
}

var plainLetters = strings.NewReplacer("á", "a", "ã", "a", "ç", "c", "é", "e", "í", "i", "ó", "o", "õ", "o", "ú", "u")

// factName is what a fact of the log is called, or its key if it has no name.
func factName(ctx context.Context, key string) string {
	return wordsOr(ctx, "audit.fact_"+key, wordsOr(ctx, "switch.name_"+strings.ToUpper(key), key))
}

// wordsOr is a text of the catalog, or what there is without one.
func wordsOr(ctx context.Context, text, otherwise string) string {
	if words := i18n.T(ctx, text); words != text {
		return words
	}
	return otherwise
}

// factValue writes what programs know by a word of their own the reader's way.
func factValue(ctx context.Context, key, value string) string {
	switch {
	case value == "true":
		return i18n.T(ctx, "team.yes")
	case value == "false":
		return i18n.T(ctx, "team.no")
	case key == "permissions":
		var names []string
		for _, permission := range strings.Fields(value) {
			names = append(names, wordsOr(ctx, "permission."+strings.ReplaceAll(permission, ":", "_"), permission))
		}
		return strings.Join(names, " · ")
	case key == "types":
		return strings.ReplaceAll(value, " ", " · ")
	case key == "amount":
		if amount, err := money.ParseDecimal(value); err == nil {
			return i18n.Money(ctx, amount)
		}
	case key == "role":
		return wordsOr(ctx, "role."+value, wordsOr(ctx, "ops.role_"+value, value))
	case factWords[key] != "":
		return wordsOr(ctx, factWords[key]+value, value)
	}
	return value
}

// factWords are where the catalogs name the values of facts.
var factWords = map[string]string{
	"productionAccess": "status.access_", "rail": "destinations.rail_", "type": "destinations.type_", "kind": "ops.exception_",
}
