package merchants

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"garoupa/models"
	"garoupa/money"
)

// ProductForm is what a member says of a product.
type ProductForm struct {
	Slug          string // only when it is made
	Name          string
	Description   string // "" for none
	Picture       []byte // a file; empty keeps what there is
	RemovePicture bool   // takes away what there is, also an address elsewhere
	Amount        money.Cents
	PaymentCycle  string
	Active        bool
}

var slugShape = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// CreateProduct adds an active product to the scope. It fails with Invalid; a slug
// that the scope has already is Taken. What is wrong with "picture" is a logo's.
func (s *Service) CreateProduct(ctx context.Context, by Actor, scope models.Scope, in ProductForm) (*models.Product, error) {
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
	product.ID, product.ProjectID, product.Livemode = models.NewProductID(), scope.ProjectID, scope.Livemode
	product.Slug, product.CreatedAt, product.UpdatedAt = in.Slug, now, now
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := models.InsertProduct(tx, product); err != nil {
			return err
		}
		if picture != nil {
			if err := models.SetProductPicture(tx, product.ID, picture); err != nil {
				return err
			}
		}
		return s.auditChange(tx, by, "product.created", product.ID, change{after: productFacts(product)}, map[string]string{"slug": product.Slug})
	})
	if models.Violates(err, models.ProductsSlugUnique) {
		return nil, Invalid{"slug": Taken}
	}
	if err != nil {
		return nil, fmt.Errorf("merchants: create product: %w", err)
	}
	return product, nil
}

// UpdateProduct changes all of a product of the scope but its slug. Checkouts that
// exist keep what they were made with. It fails with Invalid, or models.ErrNotFound.
func (s *Service) UpdateProduct(ctx context.Context, by Actor, scope models.Scope, slug string, in ProductForm) error {
	picture, problems, err := in.check()
	if err != nil {
		return fmt.Errorf("merchants: update product: %w", err)
	}
	if err := problems.orNil(); err != nil {
		return err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		before, err := models.LockProduct(tx, scope, slug)
		if err != nil {
			return err
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

// productFacts are those of a product that a member chose.
func productFacts(p *models.Product) map[string]string {
	facts := map[string]string{
		"name": p.Name, "amount": p.Amount.Decimal(), "paymentCycle": p.PaymentCycle, "active": strconv.FormatBool(p.Active), "description": "", "imageUrl": "",
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

// SwitchPaymentLink turns a link of the scope on or off. An unknown one is
// models.ErrNotFound.
func (s *Service) SwitchPaymentLink(ctx context.Context, by Actor, scope models.Scope, id string, active bool) error {
	_, err := models.PaymentLinkByID(ctx, s.DB.Pool, scope, id)
	if err == nil {
		err = s.DB.InTx(ctx, func(tx *models.Tx) error {
			changed, err := models.SetPaymentLinkActive(tx, scope, id, active, s.now())
			if err != nil || !changed {
				return err
			}
			action := map[bool]string{true: "payment_link.enabled", false: "payment_link.disabled"}[active]
			return s.audit(tx, by, action, id, nil)
		})
	}
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		err = fmt.Errorf("merchants: switch payment link: %w", err)
	}
	return err
}

// check trims in and says what is wrong with it. It draws the picture, nil without one.
func (in *ProductForm) check() (*models.DrawnPicture, Invalid, error) {
	in.Name, in.Description = strings.TrimSpace(in.Name), strings.TrimSpace(in.Description)
	problems := Invalid{}
	problems.length("name", in.Name, 1, 200)
	problems.length("description", in.Description, 0, 500)
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

// product is what in makes of the product that there was: a new picture takes the place
// of the one before it, or of an address elsewhere.
func (in *ProductForm) product(before models.Product, picture *models.DrawnPicture) *models.Product {
	after := before
	after.Name, after.Description, after.Amount, after.PaymentCycle, after.Active = in.Name, orNone(in.Description), in.Amount, in.PaymentCycle, in.Active
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
