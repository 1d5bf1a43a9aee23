package pages

// PicturePath is what pictures of products are served below. They are named by their
// content and never change.
const PicturePath = "/fotos/"

// ProductPicture is a product's picture, drawn by us. The zero value means no picture.
type ProductPicture struct {
	Small         string // a file below PicturePath, for pages
	Large         string // the same, for messengers
	Width, Height int    // in pixels, of the large one
}

// The size of a picture at the width of a card, in CSS pixels: 16 to 9.
const (
	pictureWidth  = "448"
	pictureHeight = "252"
)

// The types of picture that forms take, and the longest file in bytes.
const (
	PictureTypes = "image/png,image/jpeg,image/webp"
	PictureBytes = 2 << 20
)

// fit fills 16 to 9 with what is about as wide, and shows the whole of what is higher:
// nothing of what is sold may be cut off.
func (p ProductPicture) fit() string {
	if 4*p.Height <= 3*p.Width {
		return "object-cover"
	}
	return "object-contain"
}
