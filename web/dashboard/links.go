package dashboard

import (
	"crypto/rand"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// listLinks shows GET /app/links.
func (s *dashboard) listLinks(c *fiber.Ctx) error {
	after := s.Position(c, payments.ListPaymentLinks)
	found, err := s.Payments.PaymentLinks(c.UserContext(), page.Scope(c), after, page.ListSize(c))
	if err != nil {
		return err
	}
	var ids []string
	for _, link := range found.Rows {
		ids = append(ids, link.ID)
	}
	counts, err := models.PaymentLinkCounts(c.UserContext(), s.DB.Read, page.Scope(c), ids...)
	uncounted := lacks(s.Site, c, "usage", err)
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.LinksProps{
		Shell: shell, CanCreate: offersSales(page.Visitor(c)), NeedsAccess: needsAccess(page.Visitor(c)),
		Key: rand.Text(), NoUsage: uncounted,
		Pager: s.Pager(c, payments.ListPaymentLinks, "/app/links", "", after, found.Next),
	}
	for _, link := range found.Rows {
		props.Links = append(props.Links, pages.LinkRow{
			ID: link.ID, Product: link.Product.Name, Amount: link.Product.Amount, Active: link.Active,
			ProductActive: link.Product.Active,
			Uses:          counts[link.ID].Uses, Paid: counts[link.ID].Paid, CreatedAt: link.CreatedAt,
			Picture: page.ProductPicture(link.Product.Picture), Terms: s.linkTerms(&link),
		})
	}
	return page.Render(c, pages.Links(props))
}

// needsAccess reports whether the visitor looks at live before the account may go live.
func needsAccess(v *models.Visitor) bool {
	return v.Environment == models.Live && v.Access != models.AccessApproved
}

// salesStopped reports whether the visitor looks at live while staff have stopped charges and links there.
func salesStopped(v *models.Visitor) bool { return v.Environment == models.Live && v.SalesStopped }

// canCreateLink reports whether the visitor may create links. Live links cannot be used before
// the account may go live, so they cannot be created before.
func canCreateLink(v *models.Visitor) bool { return v.Role.Can(models.Sell) && !needsAccess(v) }

// offersSales reports whether pages offer the visitor to create charges and links.
func offersSales(v *models.Visitor) bool { return canCreateLink(v) && !salesStopped(v) }

// salesStop redirects the visitor to the page that says why sales are stopped.
func (s *dashboard) salesStop(c *fiber.Ctx) error {
	if err := s.Flash(c, "sales_stopped"); err != nil {
		return err
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}

// readLink shows GET /app/links/:id.
func (s *dashboard) readLink(c *fiber.Ctx) error {
	link, err := s.paymentLink(c)
	if err != nil {
		return err
	}
	filter, span, problems := readFigures(c, s.Now())
	if len(problems) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
	}
	figures, err := models.FiguresOfLink(c.UserContext(), s.DB.Read, page.Scope(c), link.ID, span.since, span.until)
	uncounted := lacks(s.Site, c, "usage", err)
	uses, err := s.Payments.Checkouts(c.UserContext(), page.Scope(c),
		models.CheckoutFilter{PaymentLinkID: link.ID, Limit: latest})
	unlisted := lacks(s.Site, c, "checkouts", err)
	address := s.linkURL(link)
	symbol, err := s.Codes.Symbol(address)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.LinkDetail(pages.LinkDetailProps{
		Shell: shell, ID: link.ID, URL: address, QR: components.QRProps{Path: symbol.Path, Modules: symbol.Modules},
		Product: link.Product.Name, ProductID: link.Product.Slug, ProductActive: link.Product.Active,
		Amount: link.Product.Amount,
		Active: link.Active, ExpiresIn: link.ExpiresInSeconds, SuccessURL: page.Text(link.SuccessURL),
		ReturnURL: page.Text(link.ReturnURL),
		CreatedAt: link.CreatedAt, Figures: linkFigures(figures, ""), Filter: filter, Errors: problems,
		Checkouts: checkoutRows(uses.Rows), Terms: s.linkTerms(link),
		NoFigures: uncounted, NoCheckouts: unlisted, CanEdit: page.Visitor(c).Role.Can(models.Sell),
	}))
}

func (s *dashboard) paymentLink(c *fiber.Ctx) (*models.PaymentLink, error) {
	link, err := models.PaymentLinkByID(c.UserContext(), s.DB.Pool, page.Scope(c), c.Params("id"))
	if err != nil {
		return nil, fmt.Errorf("dashboard: read payment link: %w", err)
	}
	return link, nil
}

// linkURL returns the link's address for buyers.
func (s *dashboard) linkURL(link *models.PaymentLink) string { return s.CheckoutURL + "/l/" + link.ID }

// linkSVG handles GET /app/links/:id/qr.svg, the link's QR code for print.
func (s *dashboard) linkSVG(c *fiber.Ctx) error {
	link, err := s.paymentLink(c)
	if err != nil {
		return err
	}
	symbol, err := s.Codes.Symbol(s.linkURL(link))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "image/svg+xml")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+link.ID+`.svg"`)
	// A quiet zone of four modules on every side (ISO/IEC 18004).
	return c.SendString(fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[2]d" height="%[2]d" `+
		`viewBox="-4 -4 %[1]d %[1]d" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M-4-4h%[1]dv%[1]dh-%[1]dz"/><path d="%[3]s"/></svg>`,
		symbol.Modules+8, page.QRImageSize, symbol.Path))
}

// linkPNG handles GET /app/links/:id/qr.png.
func (s *dashboard) linkPNG(c *fiber.Ctx) error {
	link, err := s.paymentLink(c)
	if err != nil {
		return err
	}
	image, err := s.Codes.Image(s.linkURL(link))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "image/png")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+link.ID+`.png"`)
	return c.Send(image)
}

// switchLink handles POST /app/links/:id/ativar and …/desativar.
func (s *dashboard) switchLink(active bool, flash string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		id := c.Params("id")
		if err := s.Merchants.SwitchPaymentLink(c.UserContext(), page.Actor(c), page.Scope(c), id, active); err != nil {
			return err
		}
		if err := s.Flash(c, flash); err != nil {
			return err
		}
		return c.Redirect("/app/links/"+id, fiber.StatusSeeOther)
	}
}
