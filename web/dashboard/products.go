package dashboard

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// listProducts shows GET /app/produtos.
func (s *dashboard) listProducts(c *fiber.Ctx) error {
	after, archived, query := s.Position(c, payments.ListProducts), c.Query("archived") == "1", ""
	if archived {
		query = "archived=1"
	}
	products, err := models.ReadPage(page.ListSize(c), func(limit int) ([]models.Product, error) {
		return models.Products(c.UserContext(), s.DB.Pool, page.Scope(c), archived, after, limit)
	})
	if err != nil {
		return fmt.Errorf("dashboard: list products: %w", err)
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.Products(pages.ProductsProps{
		Shell: shell, Products: productRows(products.Rows), CanEdit: page.Visitor(c).Role.Can(models.Sell),
		Archived: archived, Pager: s.Pager(c, payments.ListProducts, "/app/produtos", query, after, products.Next),
	}))
}

func productRows(products []models.Product) []pages.ProductRow {
	var rows []pages.ProductRow
	for _, p := range products {
		rows = append(rows, pages.ProductRow{Slug: p.Slug, Name: p.Name, Amount: p.Amount, PaymentCycle: p.PaymentCycle,
			Active: p.Active, Archived: p.ArchivedAt != nil, Picture: page.ProductPicture(p.Picture)})
	}
	return rows
}

// newProduct shows GET /app/produtos/novo.
func (s *dashboard) newProduct(c *fiber.Ctx) error {
	return s.showNewProduct(c, pages.ProductFields{Key: rand.Text(), PaymentCycle: base.OneTime}, nil)
}

func (s *dashboard) showNewProduct(c *fiber.Ctx, fields pages.ProductFields, errs components.FieldErrors) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	hasPreview(c)
	return page.Render(c, pages.NewProduct(pages.NewProductProps{Shell: shell, Fields: fields,
		Cycles: models.PaymentCycles, Preview: productPreview(fields, ""), Errors: errs}))
}

// productPreview is the address of a link's page with the product that is typed, over the one with the slug.
func productPreview(fields pages.ProductFields, slug string) string {
	return previewAddress(linkPreviewPath, map[string]string{"productId": slug, "name": fields.Name,
		"amount": fields.Amount, "description": fields.Description})
}

// createProduct handles POST /app/produtos. Without a slug the product gets one derived from
// its name.
func (s *dashboard) createProduct(c *fiber.Ctx) error {
	fields, form, err := readProductForm(c)
	if err != nil {
		return err
	}
	fields.Slug = strings.TrimSpace(fields.Slug)
	form.Slug = fields.Slug
	if form.Slug == "" {
		if form.Slug, err = s.freeSlug(c.UserContext(), page.Scope(c), slugOf(form.Name)); err != nil {
			return err
		}
	}
	fields.Key = page.FormKey(fields.Key)
	form.Form = fields.Key
	product, err := s.addProduct(c, form)
	if errors.Is(err, models.ErrFormReused) { // the member went back and changed the form
		fields.Key = rand.Text()
		c.Status(fiber.StatusUnprocessableEntity)
		text := i18n.T(c.UserContext(), "problem.product_repeated")
		return s.showNewProduct(c, fields, components.FieldErrors{{Text: text}})
	}
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		if _, unnamed := problems["name"]; unnamed && fields.Slug == "" {
			delete(problems, "slug") // a slug will be derived from the name
		}
		errs, err := s.productErrors(c, problems, form)
		if err != nil {
			return err
		}
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewProduct(c, fields, errs)
	} else if err != nil {
		return err
	}
	if err := s.Flash(c, "product_created"); err != nil {
		return err
	}
	return c.Redirect("/app/produtos/"+product.Slug, fiber.StatusSeeOther)
}

func (s *dashboard) addProduct(c *fiber.Ctx, form merchants.ProductForm) (*models.Product, error) {
	if form.Slug == formSlug {
		return nil, merchants.Invalid{"slug": merchants.Taken}
	}
	return s.Merchants.CreateProduct(c.UserContext(), page.Actor(c), page.Scope(c), form)
}

// readProduct shows GET /app/produtos/:slug.
func (s *dashboard) readProduct(c *fiber.Ctx) error {
	product, err := s.product(c, c.Params("slug"))
	if err != nil {
		return err
	}
	return s.showProduct(c, product, pages.ProductFields{
		Name: product.Name, Slug: product.Slug, Amount: page.TypedPrice(c, product.Amount),
		Description:  page.Text(product.Description),
		PaymentCycle: product.PaymentCycle, Active: product.Active,
	}, nil)
}

func (s *dashboard) product(c *fiber.Ctx, slug string) (*models.Product, error) {
	if !input.Plain(slug) {
		return nil, models.ErrNotFound
	}
	product, err := models.ProductBySlug(c.UserContext(), s.DB.Pool, page.Scope(c), slug)
	if err != nil {
		return nil, fmt.Errorf("dashboard: read product: %w", err)
	}
	return product, nil
}

func (s *dashboard) showProduct(c *fiber.Ctx, product *models.Product, fields pages.ProductFields,
	errs components.FieldErrors) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	hasPreview(c)
	return page.Render(c, pages.Product(pages.ProductProps{
		Shell: shell, Preview: productPreview(fields, product.Slug),
		Title: product.Name, Active: product.Active, Archived: product.ArchivedAt != nil,
		Picture:   page.ProductPicture(product.Picture),
		Elsewhere: page.Text(product.ImageURL), Fields: fields, Cycles: models.PaymentCycles,
		CanEdit: page.Visitor(c).Role.Can(models.Sell), CanLink: product.Active && offersSales(page.Visitor(c)),
		Errors: errs,
	}))
}

// updateProduct handles POST /app/produtos/:slug.
func (s *dashboard) updateProduct(c *fiber.Ctx) error {
	product, err := s.product(c, c.Params("slug"))
	if err != nil {
		return err
	}
	fields, form, err := readProductForm(c)
	if err != nil {
		return err
	}
	fields.Slug = product.Slug
	err = s.Merchants.UpdateProduct(c.UserContext(), page.Actor(c), page.Scope(c), product.Slug, form)
	if problems, _ := errors.AsType[merchants.Invalid](err); problems["archived"] != "" {
		return c.Redirect("/app/produtos/"+product.Slug, fiber.StatusSeeOther) // the page says why
	}
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		errs, err := s.productErrors(c, problems, form)
		if err != nil {
			return err
		}
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showProduct(c, product, fields, errs)
	} else if err != nil {
		return err
	}
	if err := s.Flash(c, "product_saved"); err != nil {
		return err
	}
	return c.Redirect("/app/produtos/"+product.Slug, fiber.StatusSeeOther)
}

// archiveProduct handles POST /app/produtos/:slug/arquivar and …/restaurar.
func (s *dashboard) archiveProduct(archived bool, flash string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		product, err := s.product(c, c.Params("slug"))
		if err != nil {
			return err
		}
		err = s.Merchants.ArchiveProduct(c.UserContext(), page.Actor(c), page.Scope(c), product.Slug, archived)
		if err != nil {
			return err
		}
		if err := s.Flash(c, flash); err != nil {
			return err
		}
		return c.Redirect("/app/produtos/"+product.Slug, fiber.StatusSeeOther)
	}
}
