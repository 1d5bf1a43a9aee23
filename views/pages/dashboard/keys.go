package dashboard

import (
	"context"
	"slices"
	"strings"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// KeysProps is GET /app/chaves: the keys of the environment, newest first.
type KeysProps struct {
	Shell layouts.Shell
	Keys  []KeyRow
	// CanCreate shows the way to a new key. Roles that may not have none, and
	// neither has an account without production access in live.
	CanCreate bool
	// NeedsAccess says that live keys wait for production access.
	NeedsAccess bool
}

// KeyRow is one API key. Its secret is not known any more.
type KeyRow struct {
	ID          string
	Name        string
	Display     string // prefix and last four, "svc_test_…9f2c"
	Permissions []string
	CreatedBy   string
	CreatedAt   time.Time
	LastUsedAt  *time.Time // nil: never
	LastUsedIP  string     // "" if it is not known
	RevokedAt   *time.Time // nil: in use
	CanRevoke   bool
	Switches    []KeySwitch

	EndsAt   *time.Time // nil: never
	Ended    bool       // the end has come
	Networks string     // from which alone the key may be used; "": from everywhere
	CanRoll  bool
}

// KeySwitch is something that no permission includes, and that people turn on or off for a key.
type KeySwitch struct {
	Name string // names its texts
	On   bool
	Can  bool   // the visitor decides about it
	Path string // the end of the path that turns it off, or on
}

// NewKeyProps is GET /app/chaves/nova and POST /app/chaves. Fields: name,
// permissions (repeated), ends, networks.
type NewKeyProps struct {
	Shell       layouts.Shell
	Key         string // makes one key of the form, however often it is sent
	Name        string
	Permissions []string // ticked; a fresh form ticks the checkout integration
	Allowed     []string // those that the member's role may give to a key; only they are offered
	Ends        string
	Networks    string
	Errors      components.FieldErrors
}

// KeyCreatedProps answers POST /app/chaves and POST /app/chaves/{id}/trocar: the
// only page that ever shows the secret.
type KeyCreatedProps struct {
	Shell   layouts.Shell
	Name    string
	Secret  string
	APIURL  string     // for the example request
	Rolled  bool       // the key replaces another one
	OldEnds *time.Time // when that one ends; nil: it was revoked
}

// RollKeyProps is GET and POST /app/chaves/{id}/trocar. Fields: overlap, ends.
type RollKeyProps struct {
	Shell   layouts.Shell
	Form    string // replaces the key once, however often the form is sent
	Key     KeyRow // the key to be replaced
	Overlap string // "now", "hour", "day" or "week"
	Ends    string // of the new key
	Errors  components.FieldErrors
}

// RevokeKeyProps is GET and POST /app/chaves/{id}/revogar. Field: confirm, the
// last four characters of the key.
type RevokeKeyProps struct {
	Shell  layouts.Shell
	Key    KeyRow
	Last4  string
	Errors components.FieldErrors
}

// Permissions are those of the contract (5.4), in the order pages list them.
var Permissions = []string{
	"CHECKOUT:CREATE", "CHECKOUT:READ", "PAYMENT_LINK:CREATE", "PAYMENT_LINK:READ",
	"BALANCE:READ", "WITHDRAWAL:CREATE", "WITHDRAWAL:READ",
}

// decides reports whether the visitor decides about a switch of a key.
func (p KeysProps) decides(name string) bool {
	return slices.ContainsFunc(p.Keys, func(k KeyRow) bool {
		return slices.ContainsFunc(k.Switches, func(s KeySwitch) bool { return s.Name == name && s.Can })
	})
}

// decides reports whether the visitor decides about a switch of the key.
func (k KeyRow) decides() bool {
	return slices.ContainsFunc(k.Switches, func(s KeySwitch) bool { return s.Can })
}

// turn is the text of the button that turns the switch off, or on.
func (s KeySwitch) turn(ctx context.Context) string {
	if s.On {
		return i18n.T(ctx, "keys.refuse_"+s.Name)
	}
	return i18n.T(ctx, "keys.allow_"+s.Name)
}

// status names the key's state for its badge.
func (k KeyRow) status() string {
	switch {
	case k.RevokedAt != nil:
		return "REVOKED"
	case k.Ended:
		return "ENDED"
	}
	return "ACTIVE"
}

// subtitle says which environment the key is for: it cannot be changed later.
func (p NewKeyProps) subtitle(ctx context.Context) string {
	if p.Shell.Live {
		return i18n.T(ctx, "keys.new_live")
	}
	return i18n.T(ctx, "keys.new_test")
}

// exampleKey goes into the example request. A live key is not put into a command
// line, where a shell would remember it.
func (p KeyCreatedProps) exampleKey() string {
	if p.Shell.Live {
		return ""
	}
	return p.Secret
}

// title says whether the key is new or replaces another one.
func (p KeyCreatedProps) title(ctx context.Context) string {
	if p.Rolled {
		return i18n.T(ctx, "keys.rolled_title")
	}
	return i18n.T(ctx, "keys.created_title")
}

// old says how long the replaced key works.
func (p KeyCreatedProps) old(ctx context.Context) string {
	if p.OldEnds == nil {
		return i18n.T(ctx, "keys.rolled_now")
	}
	return i18n.T(ctx, "keys.rolled_until", i18n.DateTime(ctx, *p.OldEnds))
}

// overlaps are how long the replaced key may go on.
func (p RollKeyProps) overlaps(ctx context.Context) []components.RadioOption {
	var all []components.RadioOption
	for _, value := range []string{"now", "hour", "day", "week"} {
		all = append(all, components.RadioOption{Value: value, Label: i18n.T(ctx, "keys.overlap_"+value),
			Hint: i18n.T(ctx, "keys.overlap_"+value+"_hint")})
	}
	return all
}

// facts say which key is meant, and when it was last used.
func (k KeyRow) facts(ctx context.Context) []components.KeyValue {
	used := i18n.T(ctx, "keys.never_used")
	if k.LastUsedAt != nil {
		used = i18n.DateTime(ctx, *k.LastUsedAt)
		if k.LastUsedIP != "" {
			used += " · " + k.LastUsedIP
		}
	}
	return []components.KeyValue{
		{Key: i18n.T(ctx, "keys.name"), Value: k.Name},
		{Key: i18n.T(ctx, "keys.key"), Value: k.Display, Mono: true},
		{Key: i18n.T(ctx, "keys.last_used"), Value: used},
	}
}

// copied are the facts of a key that is about to be replaced: what the new one has too.
func (p RollKeyProps) copied(ctx context.Context) []components.KeyValue {
	rights := permissionNames(ctx, p.Key.Permissions)
	for _, s := range p.Key.Switches {
		if s.On {
			rights += " · " + i18n.T(ctx, "keys.may_"+s.Name)
		}
	}
	all := append(p.Key.facts(ctx), components.KeyValue{Key: i18n.T(ctx, "keys.permissions"), Value: rights})
	if p.Key.EndsAt != nil {
		all = append(all, components.KeyValue{Key: i18n.T(ctx, "keys.ends"), Value: i18n.DateTime(ctx, *p.Key.EndsAt)})
	}
	if p.Key.Networks != "" {
		all = append(all, components.KeyValue{Key: i18n.T(ctx, "keys.networks"), Value: p.Key.Networks})
	}
	return all
}

// permissionNames lists permissions in words.
func permissionNames(ctx context.Context, permissions []string) string {
	var names []string
	for _, permission := range permissions {
		names = append(names, base.PermissionName(ctx, permission))
	}
	return strings.Join(names, " · ")
}

// permissionsHint says what is ticked, and why some permissions are not offered.
func (p NewKeyProps) permissionsHint(ctx context.Context) string {
	hint := i18n.T(ctx, "keys.permissions_hint")
	if len(p.Allowed) < len(Permissions) {
		hint += " " + i18n.T(ctx, "keys.permissions_role")
	}
	return hint
}

// options are the boxes of the form, for the permissions that may be given. Withdrawals
// move money out, so theirs carry a warning.
func (p NewKeyProps) options(ctx context.Context) []components.CheckboxOption {
	var options []components.CheckboxOption
	for _, permission := range Permissions {
		if !slices.Contains(p.Allowed, permission) {
			continue
		}
		option := components.CheckboxOption{Value: permission, Label: base.PermissionName(ctx, permission),
			Code: permission, Group: i18n.T(ctx, "keys.group_checkout")}
		if strings.HasPrefix(permission, "WITHDRAWAL:") {
			option.Group = i18n.T(ctx, "keys.group_withdrawals")
		}
		if permission == "WITHDRAWAL:CREATE" {
			option.Note = i18n.T(ctx, "keys.withdrawal_note")
		}
		options = append(options, option)
	}
	return options
}
