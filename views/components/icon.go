package components

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/a-h/templ"
)

// Icon draws the outline with that name, from icons_gen.go, in the color of the text around
// it. It is hidden from assistive technology, so the words beside it must say everything.
// An unknown name is an error of rendering.
func Icon(name, class string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		shape, ok := icons[name]
		if !ok {
			return fmt.Errorf("components: no icon %q: run npm run build", name)
		}
		_, err := io.WriteString(w, `<svg class="`+templ.EscapeString(class)+
			`" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" `+
			`stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">`+shape+`</svg>`)
		return err
	})
}

// Icons returns the names of all icons, in order.
func Icons() []string { return slices.Sorted(maps.Keys(icons)) }
