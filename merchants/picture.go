package merchants

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"garoupa/internal/picture"
	"garoupa/models"
)

// MaxPictureFile is the largest file of a logo or a product's picture, in bytes.
const MaxPictureFile = 2 << 20

// A product's picture is drawn large, for messengers and merchants' own pages, and small, at
// most twice the size on hosted pages on a phone. The small one fits into the byte budget of
// the first visit to a page with a logo.
var (
	largePicture = picture.Bounds{Format: picture.JPEG, Width: 1200, Height: 1200, Bytes: 96 << 10}
	smallPicture = picture.Bounds{Format: picture.JPEG, Width: 768, Height: 576, Bytes: 12 << 10}
)

// readProductPicture draws the picture in a file again. It fails with Invalid naming
// "picture", for the same problems as SetLogo.
func readProductPicture(file []byte) (*models.DrawnPicture, error) {
	drawn, err := redraw("picture", file, largePicture, smallPicture)
	if err != nil {
		return nil, err
	}
	large, small := drawn[0], drawn[1]
	return &models.DrawnPicture{
		ProductPicture: models.ProductPicture{Hash: pictureHash(large, small), Width: large.Width,
			Height: large.Height},
		Large: large.File, Small: small.File,
	}, nil
}

// redraw draws the picture in the file of a form's field again. It fails with Invalid.
func redraw(field string, file []byte, within ...picture.Bounds) ([]picture.Picture, error) {
	if len(file) > MaxPictureFile {
		return nil, Invalid{field: TooLong}
	}
	drawn, err := picture.Redraw(file, within...)
	switch {
	case errors.Is(err, picture.ErrUnreadable):
		return nil, Invalid{field: Malformed}
	case errors.Is(err, picture.ErrPixels):
		return nil, Invalid{field: Unknown}
	}
	return drawn, err
}

// pictureHash returns the hash that identifies pictures by their content.
func pictureHash(drawn ...picture.Picture) string {
	hash := sha256.New()
	for _, p := range drawn {
		hash.Write(p.File)
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
