package models

import "context"

// ProductPicture identifies a product's picture. The zero value means no picture.
type ProductPicture struct {
	Hash          string // 32 hexadecimal digits: the beginning of a SHA-256
	Width, Height int    // of the large picture, in pixels
}

// DrawnPicture is a picture as two JPEGs, which we have drawn anew from the uploaded one.
type DrawnPicture struct {
	ProductPicture
	Large []byte // for the API, and for previews in messengers
	Small []byte // for pages
}

// SetProductPicture writes the picture of a product that the caller has locked and that has no
// ImageURL; nil removes the picture.
func SetProductPicture(tx *Tx, productID string, picture *DrawnPicture) error {
	values := []any{productID, nil, nil, nil, nil, nil}
	if picture != nil {
		values = []any{productID, picture.Large, picture.Small, picture.Hash, picture.Width, picture.Height}
	}
	return tx.exec(`UPDATE products SET picture_large = $2, picture_small = $3, picture_hash = $4, picture_width = $5,
		picture_height = $6 WHERE id = $1`, values...)
}

// PictureByHash returns the JPEG of a picture that a product uses now, or ErrNotFound.
func PictureByHash(ctx context.Context, q Querier, hash string, small bool) (jpeg []byte, err error) {
	err = q.QueryRow(ctx,
		"SELECT CASE WHEN $2 THEN picture_small ELSE picture_large END FROM products WHERE picture_hash = $1 LIMIT 1",
		hash, small).Scan(&jpeg)
	return jpeg, notFound(err)
}
