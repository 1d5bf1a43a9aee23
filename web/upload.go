package web

import (
	"bytes"
	"fmt"
	"io"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
)

// TakesFile tells whether a form with a file may be posted to a path: the logo's, and
// those of products.
func TakesFile(path []byte) bool {
	slug, product := bytes.CutPrefix(path, []byte("/app/produtos"))
	return string(path) == settingsPath+"checkout/logo" || product && (len(slug) == 0 || slug[0] == '/' && bytes.Count(slug, []byte("/")) == 1)
}

// formFile returns the file of a form, nil if there is none, and at most a byte more
// than a picture may come in.
func formFile(c *fiber.Ctx, name string) ([]byte, error) {
	header, err := c.FormFile(name)
	if err != nil {
		return nil, nil // no such form, or no file in it
	}
	file, err := header.Open()
	if err != nil {
		return nil, fmt.Errorf("web: open the file of a form: %w", err)
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, merchants.MaxPictureFile+1))
	if err != nil {
		return nil, fmt.Errorf("web: read the file of a form: %w", err)
	}
	return body, nil
}
