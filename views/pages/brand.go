package pages

import "garoupa/views/layouts"

// BrandPath is what the files of merchants' brands are served below. Like our own, they
// are named by their content and never change.
const BrandPath = "/marca/"

// PayBrand is a merchant's own look, on each page that its buyers see. The zero value
// is ours.
type PayBrand struct {
	Stylesheet string // a file below BrandPath, with the accent; "" for ours
	Logo       string // a file below BrandPath; "" shows the initials
	LogoWidth  int    // in pixels of the file
	LogoHeight int
	Support    string // as the merchant wrote it; "" leaves it out
	SupportURL string // where it leads: mailto, tel or https
}

// Frame gives a page the merchant's stylesheet, and its logo as the tab's icon, which
// costs no further request.
func (b PayBrand) Frame(p layouts.PayProps) layouts.PayProps {
	if b.Stylesheet != "" {
		p.Stylesheet = BrandPath + b.Stylesheet
	}
	if b.Logo != "" {
		p.Icon = BrandPath + b.Logo
	}
	return p
}

// The most that a logo takes of a page, in CSS pixels.
const (
	logoWidth  = 152
	logoHeight = 32
)

// LogoSize returns the size at which the logo is shown, so that nothing moves when it loads.
func (b PayBrand) LogoSize() (width, height int) {
	if b.LogoWidth*logoHeight > b.LogoHeight*logoWidth {
		return logoWidth, max(1, b.LogoHeight*logoWidth/b.LogoWidth)
	}
	return max(1, b.LogoWidth*logoHeight/max(1, b.LogoHeight)), logoHeight
}
