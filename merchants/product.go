package merchants

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"garoupa/internal/input"
	"garoupa/internal/money"
	"garoupa/models"
)

// ProductForm holds a member's input for a product.
type ProductForm struct {
	Slug          string // used only at the creation
	Form          string // the key of the form that creates it; "" without a form
	Name          string
	Description   string // "" for none
	Picture       []byte // the file; empty keeps the current picture
	RemovePicture bool   // removes the current picture, including an external URL
	Amount        money.Cents
	PaymentCycle  string
	Active        bool
}

var slugShape = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// CreateProduct adds an active product to the scope. A form creates one product, however often
// it is sent. It fails with models.ErrFormReused if the form was sent before with other input,
// and with Invalid: a slug that exists in the scope is Taken, and the problems of "picture"
// are those of SetLogo. Like all operations on products and links, it fails with
// refusal.Forbidden if the actor's role cannot Sell.
func (s *Service) CreateProduct(
	ctx context.Context, by models.Actor, scope models.Scope, in ProductForm,
) (*models.Product, error) {
	in.Active = true
	picture, problems, err := in.check()
	if err != nil {
		return nil, fmt.Errorf("merchants: create product: %w", err)
	}
	if !slugShape.MatchString(in.Slug) || len(in.Slug) > 255 {
		problems["slug"] = Malformed
	}
	if err := problems.orNil(); err != nil {
		return nil, err
	}
	now := s.now()
	product := in.product(models.Product{}, picture)
	product.ID, product.ProjectID, product.Environment = models.NewProductID(), scope.ProjectID, scope.Environment
	product.Slug, product.CreatedAt, product.UpdatedAt = in.Slug, now, now
	earlier := ""
	err = s.DB.InTx(ctx, func(tx *models.Tx) (err error) {
		if _, err := lockMaker(tx, by, scope, models.Sell); err != nil {
			return err
		}
		earlier, err = models.ClaimForm(tx, models.SentForm{
			OwnerID: scope.ProjectID, Environment: scope.Environment, Operation: models.OperationProduct, Key: in.Form,
			Said:       []string{in.Name, in.Description, in.Amount.Decimal(), in.PaymentCycle},
			ResourceID: in.Slug, SentAt: now,
		})
		if err != nil || earlier != "" {
			return err
		}
		if err := models.InsertProduct(tx, product); err != nil {
			return err
		}
		if picture != nil {
			if err := models.SetProductPicture(tx, product.ID, picture); err != nil {
				return err
			}
		}
		return s.auditChange(tx, by, "product.created", product.ID, change{after: productFacts(product)},
			map[string]string{"slug": product.Slug})
	})
	if models.Violates(err, models.ProductsSlugUnique) {
		return nil, Invalid{"slug": Taken}
	}
	if err == nil && earlier != "" {
		product, err = models.ProductBySlug(ctx, s.DB.Pool, scope, earlier)
	}
	if err != nil {
		return nil, fmt.Errorf("merchants: create product: %w", err)
	}
	return product, nil
}

// UpdateProduct changes all fields of a product of the scope except its slug. Existing
// checkouts are not affected. It fails with Invalid, or models.ErrNotFound. An archived product
// is Denied as "archived".
func (s *Service) UpdateProduct(
	ctx context.Context, by models.Actor, scope models.Scope, slug string, in ProductForm,
) error {
	picture, problems, err := in.check()
	if err != nil {
		return fmt.Errorf("merchants: update product: %w", err)
	}
	if err := problems.orNil(); err != nil {
		return err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := lockMaker(tx, by, scope, models.Sell); err != nil {
			return err
		}
		before, err := models.LockProduct(tx, scope, slug)
		if err != nil {
			return err
		}
		if before.ArchivedAt != nil {
			return Invalid{"archived": Denied}
		}
		product := in.product(*before, picture)
		c := differing(productFacts(before), productFacts(product))
		if len(c.after) == 0 {
			return nil
		}
		product.UpdatedAt = s.now()
		if err := models.UpdateProduct(tx, product); err != nil {
			return err
		}
		if product.Picture != before.Picture {
			if err := models.SetProductPicture(tx, product.ID, picture); err != nil {
				return err
			}
		}
		return s.auditChange(tx, by, "product.updated", before.ID, c, map[string]string{"slug": slug})
	})
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		err = fmt.Errorf("merchants: update product: %w", err)
	}
	return err
}

// ArchiveProduct takes a product of the scope out of the lists, or puts it back. Its links do not
// sell while it is archived, and not before a member activates it after that. It fails with
// models.ErrNotFound for an unknown product.
func (s *Service) ArchiveProduct(
	ctx context.Context, by models.Actor, scope models.Scope, slug string, archived bool,
) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := lockMaker(tx, by, scope, models.Sell); err != nil {
			return err
		}
		product, err := models.LockProduct(tx, scope, slug)
		if err != nil || (product.ArchivedAt != nil) == archived {
			return err
		}
		before, now := productFacts(product), s.now()
		product.Active, product.ArchivedAt, product.UpdatedAt = false, nil, now
		if archived {
			product.ArchivedAt = &now
		}
		if err := models.UpdateProduct(tx, product); err != nil {
			return err
		}
		action := map[bool]string{true: "product.archived", false: "product.restored"}[archived]
		c := differing(before, productFacts(product))
		c.before["archived"], c.after["archived"] = strconv.FormatBool(!archived), strconv.FormatBool(archived)
		return s.auditChange(tx, by, action, product.ID, c, map[string]string{"slug": slug})
	})
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		err = fmt.Errorf("merchants: archive product: %w", err)
	}
	return err
}

// productFacts returns the fields of a product that a member chose, for the audit log.
func productFacts(p *models.Product) map[string]string {
	facts := map[string]string{
		"name": p.Name, "amount": p.Amount.Decimal(), "paymentCycle": p.PaymentCycle,
		"active": strconv.FormatBool(p.Active), "description": "", "imageUrl": "",
		"picture": p.Picture.Hash,
	}
	if p.Description != nil {
		facts["description"] = *p.Description
	}
	if p.ImageURL != nil {
		facts["imageUrl"] = *p.ImageURL
	}
	return facts
}

// check trims in and returns its problems. It also draws the picture; the result is nil if
// there is none.
func (in *ProductForm) check() (*models.DrawnPicture, Invalid, error) {
	in.Name, in.Description = input.TrimLine(in.Name), input.Trim(in.Description)
	problems := Invalid{}
	problems.line("name", in.Name, 1, 200)
	problems.lines("description", in.Description, 0, 500)
	if in.Amount < 1 || in.Amount > money.Max {
		problems["amount"] = Malformed
	}
	if !slices.Contains(models.PaymentCycles, in.PaymentCycle) {
		problems["paymentCycle"] = Unknown
	}
	if len(in.Picture) == 0 {
		return nil, problems, nil
	}
	picture, err := readProductPicture(in.Picture)
	if problem, ok := errors.AsType[Invalid](err); ok {
		maps.Copy(problems, problem)
		return nil, problems, nil
	}
	return picture, problems, err
}

// product returns before with the changes of in. A new picture replaces the old one or an
// external URL.
func (in *ProductForm) product(before models.Product, picture *models.DrawnPicture) *models.Product {
	after := before
	after.Name, after.Description, after.Amount = in.Name, orNone(in.Description), in.Amount
	after.PaymentCycle, after.Active = in.PaymentCycle, in.Active
	if picture != nil || in.RemovePicture {
		after.ImageURL, after.Picture = nil, models.ProductPicture{}
	}
	if picture != nil {
		after.Picture = picture.ProductPicture
	}
	return &after
}

func orNone(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
