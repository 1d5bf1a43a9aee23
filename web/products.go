package web

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/pages"
)

// productList is the list that cursors of products belong to.
const productList payments.List = "products"

// listProducts shows GET /app/produtos.
func (s *server) listProducts(c *fiber.Ctx) error {
	after := s.position(c, productList)
	products, err := models.Products(c.UserContext(), s.DB.Pool, scope(c), after, pageSize+1)
	if err != nil {
		return fmt.Errorf("web: list products: %w", err)
	}
	next := ""
	if len(products) > pageSize {
		products = products[:pageSize]
		last := products[pageSize-1]
		next = s.Payments.Cursor(productList, models.Position{CreatedAt: last.CreatedAt, ID: last.ID})
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.Products(pages.ProductsProps{
		Shell: shell, Products: productRows(products), CanEdit: mayDevelop(visitor(c)), Pager: listPager("/app/produtos", after != nil, next),
	}))
}

func productRows(products []models.Product) []pages.ProductRow {
	var rows []pages.ProductRow
	for _, p := range products {
		rows = append(rows, pages.ProductRow{Slug: p.Slug, Name: p.Name, Amount: p.Amount, PaymentCycle: p.PaymentCycle, Active: p.Active, Picture: productPicture(p.Picture)})
	}
	return rows
}

// newProduct shows GET /app/produtos/novo.
func (s *server) newProduct(c *fiber.Ctx) error {
	return s.showNewProduct(c, pages.ProductFields{PaymentCycle: pages.OneTime}, nil)
}

func (s *server) showNewProduct(c *fiber.Ctx, fields pages.ProductFields, errs components.FieldErrors) error {
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.NewProduct(pages.NewProductProps{Shell: shell, Fields: fields, Cycles: models.PaymentCycles, Errors: errs}))
}

// createProduct handles POST /app/produtos. Without a slug the product gets one
// that its name suggests.
func (s *server) createProduct(c *fiber.Ctx) error {
	fields, form, err := readProductForm(c)
	if err != nil {
		return err
	}
	fields.Slug = strings.TrimSpace(fields.Slug)
	form.Slug = fields.Slug
	if form.Slug == "" {
		if form.Slug, err = s.freeSlug(c.UserContext(), scope(c), slugOf(form.Name)); err != nil {
			return err
		}
	}
	product, err := s.addProduct(c, form)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		if _, unnamed := problems["name"]; unnamed && fields.Slug == "" {
			delete(problems, "slug") // the name will suggest one
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
	if err := s.flash(c, "product_created"); err != nil {
		return err
	}
	return c.Redirect("/app/produtos/"+product.Slug, fiber.StatusSeeOther)
}

func (s *server) addProduct(c *fiber.Ctx, form merchants.ProductForm) (*models.Product, error) {
	if form.Slug == formSlug {
		return nil, merchants.Invalid{"slug": merchants.Taken}
	}
	return s.Merchants.CreateProduct(c.UserContext(), actor(c), scope(c), form)
}

// readProduct shows GET /app/produtos/:slug.
func (s *server) readProduct(c *fiber.Ctx) error {
	product, err := s.product(c, c.Params("slug"))
	if err != nil {
		return err
	}
	return s.showProduct(c, product, pages.ProductFields{
		Name: product.Name, Slug: product.Slug, Amount: typedPrice(c, product.Amount), Description: text(product.Description),
		PaymentCycle: product.PaymentCycle, Active: product.Active,
	}, nil)
}

func (s *server) product(c *fiber.Ctx, slug string) (*models.Product, error) {
	if !plain(slug) {
		return nil, models.ErrNotFound
	}
	product, err := models.ProductBySlug(c.UserContext(), s.DB.Pool, scope(c), slug)
	if err != nil {
		return nil, fmt.Errorf("web: read product: %w", err)
	}
	return product, nil
}

func (s *server) showProduct(c *fiber.Ctx, product *models.Product, fields pages.ProductFields, errs components.FieldErrors) error {
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.Product(pages.ProductProps{
		Shell: shell, Title: product.Name, Active: product.Active, Picture: productPicture(product.Picture), Elsewhere: text(product.ImageURL), Fields: fields, Cycles: models.PaymentCycles,
		CanEdit: mayDevelop(visitor(c)), CanLink: product.Active && canCreateLink(visitor(c)), Errors: errs,
	}))
}

// updateProduct handles POST /app/produtos/:slug.
func (s *server) updateProduct(c *fiber.Ctx) error {
	product, err := s.product(c, c.Params("slug"))
	if err != nil {
		return err
	}
	fields, form, err := readProductForm(c)
	if err != nil {
		return err
	}
	fields.Slug = product.Slug
	err = s.Merchants.UpdateProduct(c.UserContext(), actor(c), scope(c), product.Slug, form)
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
	if err := s.flash(c, "product_saved"); err != nil {
		return err
	}
	return c.Redirect("/app/produtos/"+product.Slug, fiber.StatusSeeOther)
}
