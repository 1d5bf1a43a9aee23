package merchants

import (
	"context"
	"strings"
	"unicode/utf8"

	"garoupa/internal/brand"
	"garoupa/internal/input"
	"garoupa/internal/picture"
	"garoupa/models"
)

// logoBounds is three times the size on pages, and fits into the byte budget of the first
// visit to a hosted page.
var logoBounds = picture.Bounds{Width: 480, Height: 120, Bytes: 16 << 10}

// BrandLook is the look of a merchant's pages for buyers, except its name and logo.
type BrandLook struct {
	Accent  string // a color such as "#0B6B60"; "" for the product's own
	Support string // an email address, a phone number or a URL; "" for none
}

// Check normalizes the answers. It fails with Invalid.
func (in *BrandLook) Check() error {
	in.Accent, in.Support = strings.TrimSpace(in.Accent), input.Trim(in.Support)
	problems := Invalid{}
	if in.Accent != "" {
		accent, ok := brand.Parse(in.Accent)
		if !ok {
			problems["accent"] = Malformed
		} else {
			in.Accent = accent
		}
	}
	if in.Support != "" {
		support, ok := support(in.Support)
		if !ok {
			problems["support"] = Malformed
		} else {
			in.Support = support
		}
	}
	return problems.orNil()
}

// support returns a normalized contact: a URL gets its scheme.
func support(text string) (string, bool) {
	switch {
	case !input.Length(text, 1, 254) || !input.Plain(text):
		return "", false
	case strings.Contains(text, "@") && !strings.Contains(text, "/"):
		return text, input.MemberEmail(text)
	case validPhone(text):
		return text, true
	}
	address, ok := website(text)
	return address, ok && utf8.RuneCountInString(address) <= 254
}

// SetBrandLook changes the accent and the support contact of the actor's account. It fails
// with Invalid, and with refusal.Forbidden if the actor's role cannot Administer.
func (s *Service) SetBrandLook(ctx context.Context, by models.Actor, in BrandLook) error {
	if err := in.Check(); err != nil {
		return err
	}
	return s.changeBrand(ctx, by, "set brand", func(tx *models.Tx, before models.Brand) (change, error) {
		return differing(
			map[string]string{"accent": before.Accent, "support": before.Support},
			map[string]string{"accent": in.Accent, "support": in.Support},
		), models.SetBrandLook(tx, by.AccountID, in.Accent, in.Support, s.now())
	})
}

// SetLogo draws the picture in the file again, small, as the logo of the actor's account. It
// fails with Invalid naming "logo" (Malformed for a file that is not a readable picture,
// TooLong for a file that is too long, Unknown for too many or too few pixels), and with
// refusal.Forbidden like SetBrandLook.
func (s *Service) SetLogo(ctx context.Context, by models.Actor, file []byte) error {
	logo, err := readLogo(file)
	if err != nil {
		return err
	}
	return s.changeLogo(ctx, by, logo)
}

func readLogo(file []byte) (*models.Logo, error) {
	if len(file) == 0 {
		return nil, Invalid{"logo": Missing}
	}
	drawn, err := redraw("logo", file, logoBounds)
	if err != nil {
		return nil, err
	}
	logo := drawn[0]
	return &models.Logo{PNG: logo.File, Hash: pictureHash(logo), Width: logo.Width, Height: logo.Height}, nil
}

// RemoveLogo removes the logo of the actor's account. It fails as SetBrandLook does.
func (s *Service) RemoveLogo(ctx context.Context, by models.Actor) error {
	return s.changeLogo(ctx, by, nil)
}

func (s *Service) changeLogo(ctx context.Context, by models.Actor, logo *models.Logo) error {
	return s.changeBrand(ctx, by, "set logo", func(tx *models.Tx, before models.Brand) (change, error) {
		after := ""
		if logo != nil {
			after = logo.Hash
		}
		return differing(map[string]string{"logo": before.LogoHash}, map[string]string{"logo": after}),
			models.SetBrandLogo(tx, by.AccountID, logo, s.now())
	})
}

// changeBrand writes a change of a brand with its audit line, if anything differs.
func (s *Service) changeBrand(
	ctx context.Context, by models.Actor, doing string, write func(tx *models.Tx, before models.Brand) (change, error),
) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := s.lockForAdministrator(tx, by); err != nil {
			return err
		}
		var before models.Brand
		err := tx.PGX(func(ctx context.Context, conn models.Querier) (err error) {
			before, err = models.BrandOf(ctx, conn, by.AccountID)
			return err
		})
		if err != nil {
			return err
		}
		c, err := write(tx, before)
		if err != nil || len(c.after) == 0 {
			return err
		}
		return s.auditChange(tx, by, "brand.changed", by.AccountID, c, nil)
	})
	return expected(err, doing)
}
