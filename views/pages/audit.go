package pages

import (
	"context"
	"slices"
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// AuditRow is one line of the audit log, without what the reader may not know.
type AuditRow struct {
	ID        int64
	At        time.Time
	Action    string
	Who       string // as text; "" is the installation itself
	WhoEmail  string
	WhoRole   string // of an account or of staff; "" for none, or if the reader may not know it
	Account   string // its name; "" if it is the page's account
	AccountID string
	ObjectID  string
	Object    string // its page; "" for none
	Changes   []AuditChange
	Details   []components.KeyValue
	IP        string
	RequestID string
}

// AuditChange is one fact, before and after; "" means none.
type AuditChange struct {
	Name, Before, After string
}

// AuditFields are the fields of the filter, as typed. Their names are subject, actor,
// object, request, account (in the console), from and until.
type AuditFields struct {
	Subject, Actor, Object, Request, Account, From, Until string
}

// AuditList is the log, or the part that matches the filter.
type AuditList struct {
	Path     string // of the page
	Export   string // of the file, with the filter
	Fields   AuditFields
	Subjects []string
	Errors   components.FieldErrors
	Rows     []AuditRow
	Pager    components.PagerProps
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

// compareText orders words for a list, ignoring accents.
func compareText(a, b string) int {
	return strings.Compare(plainLetters.Replace(strings.ToLower(a)), plainLetters.Replace(strings.ToLower(b)))
}

var plainLetters = strings.NewReplacer("á", "a", "ã", "a", "ç", "c", "é", "e", "í", "i", "ó", "o", "õ", "o", "ú", "u")

// factName returns the name of a fact, or its key if it has no name.
func factName(ctx context.Context, key string) string {
	return wordsOr(ctx, "audit.fact_"+key, wordsOr(ctx, "switch.name_"+strings.ToUpper(key), key))
}

// wordsOr returns a text of the catalog, or a default.
func wordsOr(ctx context.Context, text, otherwise string) string {
	if words := i18n.T(ctx, text); words != text {
		return words
	}
	return otherwise
}

// factValue returns a fact's value in the reader's language.
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
	case key == "fee" || key == "withdrawalFee":
		if fee, err := money.ParseFee(value); err == nil {
			return i18n.Fee(ctx, fee)
		}
	case key == "from" || key == "ends":
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			return i18n.DateTime(ctx, at)
		}
	case key == "settlementDelay" || key == "destinationHold" || key == "expiresIn":
		if span, err := time.ParseDuration(value); err == nil {
			return i18n.Span(ctx, span)
		}
	case key == "amount" || key == "minAmount" || key == "maxAmount" || key == "openMin" || key == "openMax":
		if amount, err := money.ParseDecimal(value); err == nil {
			return i18n.Money(ctx, amount)
		}
	case key == "role":
		return AnyRoleName(ctx, value)
	case key == "way":
		return wordsOr(ctx, "audit.way_"+value, value)
	case factWords[key] != "":
		return wordsOr(ctx, factWords[key]+value, value)
	}
	return value
}

// factWords are the catalog groups with names of fact values.
var factWords = map[string]string{
	"productionAccess": "status.access_", "rail": "destinations.rail_", "type": "destinations.type_",
	"kind": "ops.exception_", "decision": "ops.reasons_", "origin": "refund.origin_",
	"buyerData": "links.buyer_data_",
}

// AnyRoleName returns a role of a member or of staff in words, or the role itself if it has none.
func AnyRoleName(ctx context.Context, role string) string {
	return wordsOr(ctx, "role."+role, wordsOr(ctx, "ops.role_"+role, role))
}

// ActionName returns an action of the audit log in words, or the action itself if it has none.
func ActionName(ctx context.Context, action string) string {
	return wordsOr(ctx, "audit.action_"+strings.ReplaceAll(action, ".", "_"), action)
}
