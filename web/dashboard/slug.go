package dashboard

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"garoupa/models"
	"garoupa/pix"
)

// slugOf derives a product's slug from its name: "Vaso Lua Nova" is
// "vaso-lua-nova". It is "" for a name without a Latin letter or a digit.
func slugOf(name string) string {
	words := strings.FieldsFunc(strings.ToLower(pix.ASCII(name, 200)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}

// formSlug is a slug that no product may have, because its page would have the address of the
// form for new products.
const formSlug = "novo"

// maxSlugTries is how many slugs are tried before the member has to choose one.
const maxSlugTries = 50

// freeSlug returns slug if no product of the scope has it, otherwise slug with the lowest
// number that makes it free.
func (s *dashboard) freeSlug(ctx context.Context, scope models.Scope, slug string) (string, error) {
	candidate := slug
	for n := 2; n < maxSlugTries; n++ {
		if candidate != formSlug {
			_, err := models.ProductBySlug(ctx, s.DB.Pool, scope, candidate)
			if errors.Is(err, models.ErrNotFound) {
				return candidate, nil
			} else if err != nil {
				return "", fmt.Errorf("dashboard: look for a free slug: %w", err)
			}
		}
		candidate = fmt.Sprintf("%s-%d", slug, n)
	}
	return candidate, nil
}
