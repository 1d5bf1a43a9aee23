package merchants

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"garoupa/models"
	"garoupa/money"
)

// ProductForm is what a member says of a product.
type ProductForm struct {
	Slug         string // only when it is made
	Name         string
	Description  string // "" for none
	ImageURL     string // https, "" for none
	Amount       money.Cents
	PaymentCycle string
	Active       bool
}

var slugShape = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// CreateProduct adds an active product to the scope. It fails with Invalid; a slug
// that the scope has already is Taken.
func (s *Service) CreateProduct(ctx context.Context, by Actor, scope models.Scope, in ProductForm) (*models.Product, error) {
	in.Active = true
	problems := in.check()
	if !slugShape.MatchString(in.Slug) || len(in.Slug) > 255 {
		problems["slug"] = Malformed
	}
	if err := problems.orNil(); err != nil {
		return nil, err
	}
	now := s.now()
	product := in.product()
	product.ID, product.ProjectID, product.Livemode = models.NewProductID(), scope.ProjectID, scope.Livemode
	product.Slug, product.CreatedAt, product.UpdatedAt = in.Slug, now, now
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := models.InsertProduct(tx, product); err != nil {
			return err
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
	if err := in.check().orNil(); err != nil {
		return err
	}
	product := in.product()
	product.UpdatedAt = s.now()
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		before, err := models.LockProduct(tx, scope, slug)
		if err != nil {
			return err
		}
		c := differing(productFacts(before), productFacts(product))
		if len(c.after) == 0 {
			return nil
		}
		product.ID = before.ID
		if err := models.UpdateProduct(tx, product); err != nil {
			return err
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

// check trims in and says what is wrong with it.
func (in *ProductForm) check() Invalid {
	in.Name, in.Description, in.ImageURL = strings.TrimSpace(in.Name), strings.TrimSpace(in.Description), strings.TrimSpace(in.ImageURL)
	problems := Invalid{}
	problems.length("name", in.Name, 1, 200)
	problems.length("description", in.Description, 0, 500)
	if u, err := url.Parse(in.ImageURL); in.ImageURL != "" && (err != nil || u.Scheme != "https" || u.Host == "" || len(in.ImageURL) > 2048) {
		problems["imageUrl"] = Malformed
	}
	if in.Amount < 1 || in.Amount > money.Max {
		problems["amount"] = Malformed
	}
	if !slices.Contains(models.PaymentCycles, in.PaymentCycle) {
		problems["paymentCycle"] = Unknown
	}
	return problems
}

func (in *ProductForm) product() *models.Product {
	return &models.Product{
		Name: in.Name, Description: orNone(in.Description), ImageURL: orNone(in.ImageURL), Amount: in.Amount,
		PaymentCycle: in.PaymentCycle, Active: in.Active,
	}
}

func orNone(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
