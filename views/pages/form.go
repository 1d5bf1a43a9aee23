package pages

import (
	"context"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// FormTitle returns the document's title of a page with a form. It begins with the
// news that something is wrong, because that is read out first.
func FormTitle(ctx context.Context, title string, errors components.FieldErrors) string {
	if len(errors) > 0 {
		return i18n.T(ctx, "form.error") + " " + title
	}
	return title
}
