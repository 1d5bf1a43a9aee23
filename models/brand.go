package models

import (
	"context"
	"errors"
	"time"
)

// Brand is how an account's hosted pages look, and whom its buyers can ask. The zero
// value is that of an account that never said.
type Brand struct {
	Accent     string // "#rrggbb"; "" is ours
	Support    string // an e-mail, a phone number or an address of the web; "" for none
	LogoHash   string // names the logo; "" without one
	LogoWidth  int    // in pixels
	LogoHeight int
}

const brandColumns = `coalesce(b.accent, ''), coalesce(b.support, ''), coalesce(b.logo_hash, ''), coalesce(b.logo_width, 0), coalesce(b.logo_height, 0)`

func (b *Brand) targets() []any {
	return []any{&b.Accent, &b.Support, &b.LogoHash, &b.LogoWidth, &b.LogoHeight}
}

// BrandOf returns an account's brand.
func BrandOf(ctx context.Context, q Querier, accountID string) (Brand, error) {
	var b Brand
	err := notFound(q.QueryRow(ctx, "SELECT "+brandColumns+" FROM brands b WHERE b.account_id = $1", accountID).Scan(b.targets()...))
	if errors.Is(err, ErrNotFound) {
		return Brand{}, nil
	}
	return b, err
}

// SetBrandLook writes an account's accent and support contact; "" is none.
func SetBrandLook(tx *Tx, accountID, accent, support string, now time.Time) error {
	return tx.Exec(`INSERT INTO brands (account_id, accent, support, updated_at) VALUES (?, nullif(?, ''), nullif(?, ''), ?)
		ON CONFLICT (account_id) DO UPDATE SET accent = excluded.accent, support = excluded.support, updated_at = excluded.updated_at`,
		accountID, accent, support, now).Error
}

// Logo is a picture that we drew, as PNG.
type Logo struct {
	PNG           []byte
	Hash          string // 32 hexadecimal digits: the beginning of its SHA-256
	Width, Height int    // in pixels
}

// SetBrandLogo writes an account's logo; nil removes it.
func SetBrandLogo(tx *Tx, accountID string, logo *Logo, now time.Time) error {
	values := []any{accountID, nil, nil, nil, nil, now}
	if logo != nil {
		values = []any{accountID, logo.PNG, logo.Hash, logo.Width, logo.Height, now}
	}
	return tx.Exec(`INSERT INTO brands (account_id, logo, logo_hash, logo_width, logo_height, updated_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (account_id) DO UPDATE SET logo = excluded.logo, logo_hash = excluded.logo_hash, logo_width = excluded.logo_width,
			logo_height = excluded.logo_height, updated_at = excluded.updated_at`, values...).Error
}

// LogoByHash returns the PNG of a logo that some account has now, or ErrNotFound.
func LogoByHash(ctx context.Context, q Querier, hash string) (png []byte, err error) {
	err = q.QueryRow(ctx, "SELECT logo FROM brands WHERE logo_hash = $1 LIMIT 1", hash).Scan(&png)
	return png, notFound(err)
}
