package page

import (
	"bytes"
	"fmt"
	"io"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
)

// TakesFile reports whether a path accepts forms with a file: those of the logo, of products, of answers to
// disputes and of credentials at banks.
func TakesFile(path []byte) bool {
	for _, banks := range []string{"/ops/bancos/", "/app/conta-bancaria/"} {
		if bank, ok := bytes.CutPrefix(path, []byte(banks)); ok {
			return string(bank) == "nova" || bytes.HasSuffix(bank, []byte("/credenciais"))
		}
	}
	if dispute, ok := bytes.CutPrefix(path, []byte("/app/disputas/")); ok {
		return bytes.HasSuffix(dispute, []byte("/arquivos"))
	}
	slug, product := bytes.CutPrefix(path, []byte("/app/produtos"))
	return string(path) == SettingsPath+"checkout/logo" ||
		product && (len(slug) == 0 || slug[0] == '/' && bytes.Count(slug, []byte("/")) == 1)
}

// FormFile returns the file of a form, or nil if there is none. It reads at most one byte more
// than the largest allowed picture, which is as large as other files may be, so that the caller can detect a
// larger one.
func FormFile(c *fiber.Ctx, name string) ([]byte, error) {
	header, err := c.FormFile(name)
	if err != nil {
		return nil, nil // not a multipart form, or no file in it
	}
	file, err := header.Open()
	if err != nil {
		return nil, fmt.Errorf("page: open the file of a form: %w", err)
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, merchants.MaxPictureFile+1))
	if err != nil {
		return nil, fmt.Errorf("page: read the file of a form: %w", err)
	}
	return body, nil
}
