package dashboard

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// linkPoster shows GET /app/links/:id/cartaz, a page to print on A5, or on A6 with ?size=a6.
func (s *dashboard) linkPoster(c *fiber.Ctx) error {
	link, err := s.paymentLink(c)
	if err != nil {
		return err
	}
	public, err := models.PublicPaymentLinkByID(c.UserContext(), s.DB.Pool, link.ID)
	if err != nil {
		return err
	}
	address := s.linkURL(link)
	symbol, err := s.Codes.Symbol(address)
	if err != nil {
		return err
	}
	return page.Render(c, pages.Poster(pages.PosterProps{
		Small: c.Query("size") == "a6", ID: link.ID, URL: address, Merchant: public.Account.Name,
		Brand: page.PayBrand(public.Brand), Product: link.Product.Name, Amount: link.Product.Amount,
		Terms: s.linkTerms(link), QR: components.QRProps{Path: symbol.Path, Modules: symbol.Modules},
	}))
}
