package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/pages"
)

// listLinks shows GET /app/links.
func (s *server) listLinks(c *fiber.Ctx) error {
	after := s.position(c, payments.ListPaymentLinks)
	page, err := s.Payments.PaymentLinks(c.UserContext(), scope(c), after, pageSize)
	if err != nil {
		return err
	}
	var ids []string
	for _, link := range page.Links {
		ids = append(ids, link.ID)
	}
	counts, err := models.PaymentLinkCounts(c.UserContext(), s.DB.Pool, scope(c), ids...)
	uncounted := s.lacks(c, "usage", err)
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.LinksProps{
		Shell: shell, CanCreate: canCreateLink(visitor(c)), NeedsAccess: needsAccess(visitor(c)),
		NoUsage: uncounted, Pager: listPager("/app/links", after != nil, page.NextCursor),
	}
	for _, link := range page.Links {
		props.Links = append(props.Links, pages.LinkRow{
			ID: link.ID, Product: link.Product.Name, Amount: link.Product.Amount, Active: link.Active, ProductActive: link.Product.Active,
			Uses: counts[link.ID].Uses, Paid: counts[link.ID].Paid, CreatedAt: link.CreatedAt, Picture: productPicture(link.Product.Picture),
		})
	}
	return render(c, pages.Links(props))
}

// needsAccess tells a visitor who looks at live before the account may go there.
func needsAccess(v *models.Visitor) bool {
	return v.Livemode && v.Access != models.AccessApproved
}

// canCreateLink keeps live links, which nobody could use, from being made before
// the account may go live.
func canCreateLink(v *models.Visitor) bool { return mayDevelop(v) && !needsAccess(v) }

// readLink shows GET /app/links/:id.
func (s *server) readLink(c *fiber.Ctx) error {
	link, err := s.paymentLink(c)
	if err != nil {
		return err
	}
	counts, err := models.PaymentLinkCounts(c.UserContext(), s.DB.Pool, scope(c), link.ID)
	uncounted := s.lacks(c, "usage", err)
	uses, err := s.Payments.Checkouts(c.UserContext(), scope(c), models.CheckoutFilter{PaymentLinkID: link.ID, Limit: latest})
	unlisted := s.lacks(c, "checkouts", err)
	address := s.linkURL(link)
	symbol, err := s.codes.symbol(address)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.LinkDetail(pages.LinkDetailProps{
		Shell: shell, ID: link.ID, URL: address, QR: components.QRProps{Path: symbol.Path, Modules: symbol.Modules},
		Product: link.Product.Name, ProductID: link.Product.Slug, ProductActive: link.Product.Active, Amount: link.Product.Amount,
		Active: link.Active, ExpiresIn: link.ExpiresInSeconds, SuccessURL: text(link.SuccessURL), ReturnURL: text(link.ReturnURL),
		CreatedAt: link.CreatedAt, Uses: counts[link.ID].Uses, Paid: counts[link.ID].Paid, Checkouts: checkoutRows(uses.Checkouts),
		NoUsage: uncounted, NoCheckouts: unlisted, CanEdit: mayDevelop(visitor(c)),
	}))
}

func (s *server) paymentLink(c *fiber.Ctx) (*models.PaymentLink, error) {
	link, err := models.PaymentLinkByID(c.UserContext(), s.DB.Pool, scope(c), c.Params("id"))
	if err != nil {
		return nil, fmt.Errorf("web: read payment link: %w", err)
	}
	return link, nil
}

// linkURL is the address that buyers get.
func (s *server) linkURL(link *models.PaymentLink) string { return s.CheckoutHost + "/l/" + link.ID }

// linkSVG handles GET /app/links/:id/qr.svg, the link's code for print.
func (s *server) linkSVG(c *fiber.Ctx) error {
	link, err := s.paymentLink(c)
	if err != nil {
		return err
	}
	symbol, err := s.codes.symbol(s.linkURL(link))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "image/svg+xml")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+link.ID+`.svg"`)
	// A quiet zone of four modules on every side (ISO/IEC 18004).
	return c.SendString(fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[2]d" height="%[2]d" viewBox="-4 -4 %[1]d %[1]d" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M-4-4h%[1]dv%[1]dh-%[1]dz"/><path d="%[3]s"/></svg>`, symbol.Modules+8, qrImageSize, symbol.Path))
}

// linkPNG handles GET /app/links/:id/qr.png.
func (s *server) linkPNG(c *fiber.Ctx) error {
	link, err := s.paymentLink(c)
	if err != nil {
		return err
	}
	image, err := s.codes.image(s.linkURL(link))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "image/png")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+link.ID+`.png"`)
	return c.Send(image)
}

// switchLink handles POST /app/links/:id/ativar and …/desativar.
func (s *server) switchLink(active bool, flash string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		id := c.Params("id")
		if err := s.Merchants.SwitchPaymentLink(c.UserContext(), actor(c), scope(c), id, active); err != nil {
			return err
		}
		if err := s.flash(c, flash); err != nil {
			return err
		}
		return c.Redirect("/app/links/"+id, fiber.StatusSeeOther)
	}
}
