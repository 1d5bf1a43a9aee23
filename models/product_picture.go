package models

import "context"

// ProductPicture is what a product's picture is known by. The zero value is none.
type ProductPicture struct {
	Hash          string // names it: 32 hexadecimal digits, the beginning of a SHA-256
	Width, Height int    // in pixels, of the large one
}

// DrawnPicture is a picture that we drew, as two JPEGs.
type DrawnPicture struct {
	ProductPicture
	Large []byte // for the API, and for previews in messengers
	Small []byte // for pages
}

// SetProductPicture writes the picture of a product that the caller holds, and that has
// no address elsewhere; nil removes it.
func SetProductPicture(tx *Tx, productID string, picture *DrawnPicture) error {
	values := []any{nil, nil, nil, nil, nil}
	if picture != nil {
		values = []any{picture.Large, picture.Small, picture.Hash, picture.Width, picture.Height}
	}
	return tx.Exec(`UPDATE products SET picture_large = ?, picture_small = ?, picture_hash = ?, picture_width = ?, picture_height = ?
		WHERE id = ?`, append(values, productID)...).Error
}

// PictureByHash returns the JPEG of a picture that some product has now, or ErrNotFound.
func PictureByHash(ctx context.Context, q Querier, hash string, small bool) (jpeg []byte, err error) {
	err = q.QueryRow(ctx, "SELECT CASE WHEN $2 THEN picture_small ELSE picture_large END FROM products WHERE picture_hash = $1 LIMIT 1", hash, small).Scan(&jpeg)
	return jpeg, notFound(err)
}
