package merchants

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"garoupa/brand"
	"garoupa/models"
	"garoupa/picture"
)

// logoBounds are three times what pages show, and what the first visit of a hosted
// page has room for.
var logoBounds = picture.Bounds{Width: 480, Height: 120, Bytes: 16 << 10}

// BrandLook is what buyers see of a merchant besides its name.
type BrandLook struct {
	Accent  string // a colour as people write it; "" is ours
	Support string // an e-mail, a phone number or an address of the web; "" for none
}

// Check brings the answers into the form in which they are kept. It fails with
// Invalid.
func (in *BrandLook) Check() error {
	in.Accent, in.Support = strings.TrimSpace(in.Accent), strings.TrimSpace(in.Support)
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

// support returns a contact as it is kept: a web address with its scheme.
func support(text string) (string, bool) {
	switch {
	case utf8.RuneCountInString(text) > 254 || !plain(text):
		return "", false
	case strings.Contains(text, "@") && !strings.Contains(text, "/"):
		return text, validEmail(text)
	case validPhone(text):
		return text, true
	}
	address, ok := website(text)
	return address, ok && utf8.RuneCountInString(address) <= 254
}

// plain reports whether text is one line without characters that nobody sees, or that
// turn the direction of writing and make it read as another.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	})
}

// SetBrandLook changes the accent and the support contact of the actor's account. It
// fails with Invalid, and with fault.Forbidden for who is no administrator.
func (s *Service) SetBrandLook(ctx context.Context, by Actor, in BrandLook) error {
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

// SetLogo draws the picture in the file anew, small, as the logo of the actor's
// account. It fails with Invalid naming "logo" (Malformed for no picture that we read,
// TooLong for too long a file, Unknown for too many or too few pixels), and as
// SetBrandLook does.
func (s *Service) SetLogo(ctx context.Context, by Actor, file []byte) error {
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

// RemoveLogo takes the logo of the actor's account away. It fails as SetBrandLook does.
func (s *Service) RemoveLogo(ctx context.Context, by Actor) error { return s.changeLogo(ctx, by, nil) }

func (s *Service) changeLogo(ctx context.Context, by Actor, logo *models.Logo) error {
	return s.changeBrand(ctx, by, "set logo", func(tx *models.Tx, before models.Brand) (change, error) {
		after := ""
		if logo != nil {
			after = logo.Hash
		}
		return differing(map[string]string{"logo": before.LogoHash}, map[string]string{"logo": after}),
			models.SetBrandLogo(tx, by.AccountID, logo, s.now())
	})
}

// changeBrand writes one change of a brand with its line of the audit log, if anything
// differs.
func (s *Service) changeBrand(ctx context.Context, by Actor, doing string, write func(tx *models.Tx, before models.Brand) (change, error)) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := s.lockForAdministrator(tx, by); err != nil {
			return err
		}
		var before models.Brand
		err := tx.PGX(func(ctx context.Context, conn *pgx.Conn) (err error) {
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
