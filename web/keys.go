package web

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// listKeys shows GET /app/chaves.
func (s *server) listKeys(c *fiber.Ctx) error {
	keys, err := models.APIKeys(c.UserContext(), s.DB.Pool, scope(c))
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.KeysProps{
		Shell: shell, CanCreate: canCreateKey(visitor(c)),
		NeedsAccess: visitor(c).Livemode && visitor(c).Access != models.AccessApproved,
	}
	for i := range keys {
		row := keyRow(&keys[i])
		row.CanRevoke = mayDevelop(visitor(c)) && row.RevokedAt == nil
		props.Keys = append(props.Keys, row)
	}
	return render(c, pages.Keys(props))
}

// canCreateKey keeps live keys, which would be refused, from being handed out
// before the account may go live.
func canCreateKey(v *models.Visitor) bool {
	return mayDevelop(v) && (!v.Livemode || v.Access == models.AccessApproved)
}

func keyRow(k *models.APIKey) pages.KeyRow {
	row := pages.KeyRow{
		ID: k.ID, Name: k.Name, Display: merchants.PrefixTest + "…" + k.Last4,
		CreatedBy: k.CreatorName, CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt, LastUsedIP: k.LastUsedIP, RevokedAt: k.RevokedAt,
	}
	if k.Livemode {
		row.Display = merchants.PrefixLive + "…" + k.Last4
	}
	for _, p := range k.Permissions {
		row.Permissions = append(row.Permissions, string(p))
	}
	return row
}

// newKey shows GET /app/chaves/nova, with the checkout integration ticked.
func (s *server) newKey(c *fiber.Ctx) error {
	if !canCreateKey(visitor(c)) {
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	}
	var ticked []string
	for _, p := range merchants.CheckoutIntegration {
		ticked = append(ticked, string(p))
	}
	return s.showNewKey(c, pages.NewKeyProps{Permissions: ticked})
}

func (s *server) showNewKey(c *fiber.Ctx, props pages.NewKeyProps) error {
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props.Shell, props.Key = shell, formKey(c.FormValue("key"))
	return render(c, pages.NewKey(props))
}

// createKey handles POST /app/chaves. It answers with the secret and not with a
// redirect: nothing keeps it, so no other page could show it.
func (s *server) createKey(c *fiber.Ctx) error {
	if !canCreateKey(visitor(c)) {
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	}
	if s.madeBefore(c) {
		if err := s.flash(c, "key_made"); err != nil {
			return err
		}
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	}
	name, ticked := c.FormValue("name"), values(c, "permissions")
	in := merchants.NewKey{Name: name}
	for _, p := range ticked {
		in.Permissions = append(in.Permissions, models.Permission(p))
	}
	key, secret, err := s.Merchants.CreateKey(c.UserContext(), actor(c), scope(c), in)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewKey(c, pages.NewKeyProps{Name: name, Permissions: ticked, Errors: keyErrors(c, problems)})
	} else if err != nil {
		return err
	}
	if err := s.made(c); err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.KeyCreated(pages.KeyCreatedProps{Shell: shell, Name: key.Name, Secret: secret, APIURL: s.BaseURL}))
}

func keyErrors(c *fiber.Ctx, problems merchants.Invalid) components.FieldErrors {
	errs := fieldErrors(c, problems, "permissions")
	if _, wrong := problems["name"]; wrong {
		errs = append(components.FieldErrors{{Field: "name", Text: i18n.T(c.UserContext(), "problem.key_name")}}, errs...)
	}
	return errs
}

// revokeKeyForm shows GET /app/chaves/:id/revogar.
func (s *server) revokeKeyForm(c *fiber.Ctx) error { return s.showRevokeKey(c, nil) }

func (s *server) showRevokeKey(c *fiber.Ctx, errs components.FieldErrors) error {
	key, err := models.APIKeyByID(c.UserContext(), s.DB.Pool, scope(c), c.Params("id"))
	if err != nil {
		return fmt.Errorf("web: read key: %w", err)
	}
	if key.RevokedAt != nil {
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.RevokeKey(pages.RevokeKeyProps{Shell: shell, Key: keyRow(key), Last4: key.Last4, Errors: errs}))
}

// revokeKey handles POST /app/chaves/:id/revogar. The last four characters of the
// key must be typed: revoking the wrong one stops a shop.
func (s *server) revokeKey(c *fiber.Ctx) error {
	key, err := models.APIKeyByID(c.UserContext(), s.DB.Pool, scope(c), c.Params("id"))
	if err != nil {
		return fmt.Errorf("web: read key: %w", err)
	}
	if strings.TrimSpace(c.FormValue("confirm")) != key.Last4 {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showRevokeKey(c, components.FieldErrors{{Field: "confirm", Text: i18n.T(c.UserContext(), "problem.key_confirm")}})
	}
	if err := s.Merchants.RevokeKey(c.UserContext(), actor(c), scope(c), key.ID); err != nil {
		return err
	}
	if err := s.flash(c, "key_revoked"); err != nil {
		return err
	}
	return c.Redirect("/app/chaves", fiber.StatusSeeOther)
}
