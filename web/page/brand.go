package page

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"garoupa/internal/brand"
	"garoupa/models"
	"garoupa/static"
	"garoupa/views/pages"
)

// PayBrand returns the parts of a brand that buyers' pages show.
func PayBrand(b models.Brand) pages.PayBrand {
	p := pages.PayBrand{LogoWidth: b.LogoWidth, LogoHeight: b.LogoHeight, Support: b.Support}
	if b.Accent != "" {
		p.Stylesheet = StylesheetName(b.Accent)
	}
	if b.LogoHash != "" {
		p.Logo = b.LogoHash + ".png"
	}
	switch {
	case strings.HasPrefix(b.Support, "https://"), strings.HasPrefix(b.Support, "http://"):
		p.Support, p.SupportURL = strings.TrimSuffix(b.Support[strings.Index(b.Support, "://")+3:], "/"), b.Support
	case strings.Contains(b.Support, "@"):
		p.SupportURL = "mailto:" + b.Support
	case b.Support != "":
		p.SupportURL = "tel:" + strings.Map(func(r rune) rune {
			if r == '+' || '0' <= r && r <= '9' {
				return r
			}
			return -1
		}, b.Support)
	}
	return p
}

// StylesheetName returns the name of an accent's stylesheet, "0b6b60.1a2b3c4d.css". The file
// depends only on the accent and on our own stylesheet, and the name contains a hash of both.
func StylesheetName(accent string) string {
	sum := sha256.Sum256([]byte(static.URL(PayStylesheet) + brand.Rules(accent)))
	return fmt.Sprintf("%s.%s.css", strings.TrimPrefix(accent, "#"), hex.EncodeToString(sum[:4]))
}

// PayStylesheet is our own stylesheet of buyers' pages.
const PayStylesheet = "pay.css"

// ProductPicture returns the form of a product's picture for pages.
func ProductPicture(p models.ProductPicture) pages.ProductPicture {
	if p.Hash == "" {
		return pages.ProductPicture{}
	}
	return pages.ProductPicture{Small: p.Hash + "-pagina.jpg", Large: p.Hash + ".jpg", Width: p.Width, Height: p.Height}
}
