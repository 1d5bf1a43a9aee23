package models

import (
	"context"
	"errors"
	"time"
)

// Brand is the look of an account's hosted pages and its support contact. The zero value
// belongs to an account that has set neither.
type Brand struct {
	Accent     string // "#rrggbb"; "" for the product's own
	Support    string // an email address, a phone number or a URL; "" for none
	LogoHash   string // of the logo's PNG, see Logo; "" without a logo
	LogoWidth  int    // in pixels
	LogoHeight int
	Thanks     Thanks
}

// Thanks is what buyers see once they have paid. The button has a label and an https address, or neither.
type Thanks struct {
	Text  string // "" for none
	Label string // of the button
	URL   string
}

const brandColumns = `coalesce(b.accent, ''), coalesce(b.support, ''), coalesce(b.logo_hash, ''),
	coalesce(b.logo_width, 0), coalesce(b.logo_height, 0), coalesce(b.thanks, ''), coalesce(b.thanks_label, ''),
	coalesce(b.thanks_url, '')`

func (b *Brand) targets() []any {
	return []any{&b.Accent, &b.Support, &b.LogoHash, &b.LogoWidth, &b.LogoHeight, &b.Thanks.Text, &b.Thanks.Label,
		&b.Thanks.URL}
}

// BrandOf returns an account's brand.
func BrandOf(ctx context.Context, q Querier, accountID string) (Brand, error) {
	var b Brand
	err := notFound(q.QueryRow(ctx, "SELECT "+brandColumns+" FROM brands b WHERE b.account_id = $1",
		accountID).Scan(b.targets()...))
	if errors.Is(err, ErrNotFound) {
		return Brand{}, nil
	}
	return b, err
}

// SetBrandLook writes an account's accent and support contact; "" removes them.
func SetBrandLook(tx *Tx, accountID, accent, support string, now time.Time) error {
	return tx.exec(`INSERT INTO brands (account_id, accent, support, updated_at)
		VALUES ($1, nullif($2, ''), nullif($3, ''), $4)
		ON CONFLICT (account_id) DO UPDATE
		SET accent = excluded.accent, support = excluded.support, updated_at = excluded.updated_at`,
		accountID, accent, support, now)
}

// SetThanks writes what an account's buyers see once they have paid; "" removes a part.
func SetThanks(tx *Tx, accountID string, thanks Thanks, now time.Time) error {
	return tx.exec(`INSERT INTO brands (account_id, thanks, thanks_label, thanks_url, updated_at)
		VALUES ($1, nullif($2, ''), nullif($3, ''), nullif($4, ''), $5)
		ON CONFLICT (account_id) DO UPDATE
		SET thanks = excluded.thanks, thanks_label = excluded.thanks_label, thanks_url = excluded.thanks_url,
			updated_at = excluded.updated_at`, accountID, thanks.Text, thanks.Label, thanks.URL, now)
}

// Logo is a picture as PNG, which we have drawn anew from the uploaded one.
type Logo struct {
	PNG           []byte
	Hash          string // 32 hexadecimal digits: the beginning of the SHA-256 of PNG
	Width, Height int    // in pixels
}

// SetBrandLogo writes an account's logo; nil removes it.
func SetBrandLogo(tx *Tx, accountID string, logo *Logo, now time.Time) error {
	values := []any{accountID, nil, nil, nil, nil, now}
	if logo != nil {
		values = []any{accountID, logo.PNG, logo.Hash, logo.Width, logo.Height, now}
	}
	return tx.exec(`INSERT INTO brands (account_id, logo, logo_hash, logo_width, logo_height, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (account_id) DO UPDATE
		SET logo = excluded.logo, logo_hash = excluded.logo_hash, logo_width = excluded.logo_width,
			logo_height = excluded.logo_height, updated_at = excluded.updated_at`, values...)
}

// LogoByHash returns the PNG of a logo that an account uses now, or ErrNotFound.
func LogoByHash(ctx context.Context, q Querier, hash string) (png []byte, err error) {
	err = q.QueryRow(ctx, "SELECT logo FROM brands WHERE logo_hash = $1 LIMIT 1", hash).Scan(&png)
	return png, notFound(err)
}
