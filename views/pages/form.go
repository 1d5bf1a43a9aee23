package pages

import (
	"context"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// formTitle is the document's title of a page with a form: it begins with the
// news that something is wrong, since that is what is read out first.
func formTitle(ctx context.Context, title string, errors components.FieldErrors) string {
	if len(errors) > 0 {
		return i18n.T(ctx, "form.error") + " " + title
	}
	return title
}
