package dashboard

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// listKeys shows GET /app/chaves.
func (s *developers) listKeys(c *fiber.Ctx) error {
	keys, err := models.APIKeys(c.UserContext(), s.DB.Pool, page.Scope(c))
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.KeysProps{
		Shell: shell, CanCreate: canCreateKey(page.Visitor(c)),
		NeedsAccess: page.Visitor(c).Environment == models.Live && page.Visitor(c).Access != models.AccessApproved,
	}
	slices.SortStableFunc(keys, func(a, b models.APIKey) int { return cmp.Compare(s.rank(&a), s.rank(&b)) })
	for i := range keys {
		row, used := s.keyRow(&keys[i]), s.rank(&keys[i]) == 0
		row.CanRevoke = used && page.Visitor(c).Role.Can(models.Integrate)
		for j, each := range switches {
			row.Switches[j].Can = used && page.Visitor(c).Role.Can(merchants.KeyGate(each.of, keys[i].Environment))
		}
		row.CanRoll = used && canCreateKey(page.Visitor(c)) && merchants.MayRoll(page.Visitor(c).Role, &keys[i])
		props.Keys = append(props.Keys, row)
	}
	return page.Render(c, pages.Keys(props))
}

// rank orders a list of keys: those in use, then those that have ended, then the revoked ones.
func (s *developers) rank(k *models.APIKey) int {
	switch {
	case k.RevokedAt != nil:
		return 2
	case k.Ended(s.Now()):
		return 1
	}
	return 0
}

// canCreateKey reports whether the visitor may create keys. Live keys would be refused before
// the account may go live, so they cannot be created before.
func canCreateKey(v *models.Visitor) bool {
	return v.Role.Can(models.Integrate) && (v.Environment == models.Test || v.Access == models.AccessApproved)
}

func (s *developers) keyRow(k *models.APIKey) pages.KeyRow {
	row := pages.KeyRow{
		ID: k.ID, Name: k.Name, Display: merchants.DisplayKey(k),
		CreatedBy: k.CreatorName, CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt, LastUsedIP: k.LastUsedIP,
		RevokedAt: k.RevokedAt, EndsAt: k.EndsAt, Ended: k.Ended(s.Now()),
		Networks: merchants.FormatNetworks(k.Networks),
	}
	row.Permissions = names(k.Permissions)
	for _, each := range switches {
		turn := pages.KeySwitch{Name: string(each.of), On: k.Has(each.of), Path: each.on}
		if turn.On {
			turn.Path = each.off
		}
		row.Switches = append(row.Switches, turn)
	}
	return row
}

// names returns permissions in the form for pages.
func names(permissions []models.Permission) []string {
	var all []string
	for _, p := range permissions {
		all = append(all, string(p))
	}
	return all
}

// newKey shows GET /app/chaves/nova, with the permissions of a checkout integration selected
// as far as the visitor's role may give them.
func (s *developers) newKey(c *fiber.Ctx) error {
	if !canCreateKey(page.Visitor(c)) {
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	}
	return s.showNewKey(c, pages.NewKeyProps{Permissions: names(merchants.DefaultPermissions(page.Visitor(c).Role))})
}

func (s *developers) showNewKey(c *fiber.Ctx, props pages.NewKeyProps) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props.Shell, props.Key, props.Allowed =
		shell, page.FormKey(page.Field(c, "key")), names(page.Visitor(c).Role.KeyRights())
	return page.Render(c, pages.NewKey(props))
}

// createKey handles POST /app/chaves. It answers with the secret and not with a redirect,
// because the secret is not stored and no other page could show it.
func (s *developers) createKey(c *fiber.Ctx) error {
	if !canCreateKey(page.Visitor(c)) {
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	}
	name, ticked := page.Field(c, "name"), page.FormValues(c, "permissions")
	ends, networks := page.Field(c, "ends"), page.FormText(c, "networks")
	in := merchants.NewKey{Name: name, EndsAt: lastMoment(ends), Networks: networks,
		Form: page.FormKey(page.Field(c, "key"))}
	for _, p := range ticked {
		in.Permissions = append(in.Permissions, models.Permission(p))
	}
	key, secret, err := s.Merchants.CreateKey(c.UserContext(), page.Actor(c), page.Scope(c), in)
	if problems := keyErrors(c, err, "permissions", "ends", "networks"); problems != nil {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewKey(c, pages.NewKeyProps{Name: name, Permissions: ticked, Ends: ends, Networks: networks,
			Errors: problems})
	} else if errors.Is(err, merchants.ErrMade) {
		if err := s.Flash(c, "key_made"); err != nil {
			return err
		}
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	} else if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c,
		pages.KeyCreated(pages.KeyCreatedProps{Shell: shell, Name: key.Name, Secret: secret, APIURL: s.BaseURL}))
}

// lastMoment returns the last second of the day in a date field, or nil for an empty field. For a text that is not a
// date it returns the zero time, which CreateKey refuses.
func lastMoment(text string) *time.Time {
	if text == "" {
		return nil
	}
	day, err := i18n.ParseDay(text)
	if err == nil {
		day = day.AddDate(0, 0, 1).Add(-time.Second)
	}
	return &day
}

// keyErrors says at the fields of a form what a new key is refused for. It returns nil for other errors.
func keyErrors(c *fiber.Ctx, err error, fields ...string) components.FieldErrors {
	if errors.Is(err, merchants.ErrManyKeys) {
		return components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.key_many", merchants.MaxKeys)}}
	}
	problems, _ := errors.AsType[merchants.Invalid](err)
	errs := page.FieldErrors(c, problems, fields...)
	if _, wrong := problems["name"]; wrong {
		errs = append(components.FieldErrors{{Field: "name", Text: i18n.T(c.UserContext(), "problem.key_name")}},
			errs...)
	}
	return errs
}

// revokeKeyForm shows GET /app/chaves/:id/revogar.
func (s *developers) revokeKeyForm(c *fiber.Ctx) error { return s.showRevokeKey(c, nil) }

func (s *developers) showRevokeKey(c *fiber.Ctx, errs components.FieldErrors) error {
	key, err := models.APIKeyByID(c.UserContext(), s.DB.Pool, page.Scope(c), c.Params("id"))
	if err != nil {
		return fmt.Errorf("dashboard: read key: %w", err)
	}
	if key.RevokedAt != nil {
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c,
		pages.RevokeKey(pages.RevokeKeyProps{Shell: shell, Key: s.keyRow(key), Last4: key.Last4, Errors: errs}))
}

// revokeKey handles POST /app/chaves/:id/revogar. It requires typing the key's last four
// characters, because revoking the wrong key stops a shop.
func (s *developers) revokeKey(c *fiber.Ctx) error {
	key, err := models.APIKeyByID(c.UserContext(), s.DB.Pool, page.Scope(c), c.Params("id"))
	if err != nil {
		return fmt.Errorf("dashboard: read key: %w", err)
	}
	if strings.TrimSpace(page.Field(c, "confirm")) != key.Last4 {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showRevokeKey(c,
			components.FieldErrors{{Field: "confirm", Text: i18n.T(c.UserContext(), "problem.key_confirm")}})
	}
	if err := s.Merchants.RevokeKey(c.UserContext(), page.Actor(c), page.Scope(c), key.ID); err != nil {
		return err
	}
	if err := s.Flash(c, "key_revoked"); err != nil {
		return err
	}
	return c.Redirect("/app/chaves", fiber.StatusSeeOther)
}
