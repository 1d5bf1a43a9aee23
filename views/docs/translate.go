package docs

import (
	_ "embed"
	"encoding/json"
	"sync"

	"garoupa/views/i18n"
)

//go:embed reference.pt-BR.json
var portuguese []byte

// translations maps the English texts of the API's description to Portuguese. A test of
// package web proves that none is missing.
var translations = sync.OnceValue(func() map[string]string {
	texts := map[string]string{}
	if json.Unmarshal(portuguese, &texts) != nil {
		return nil // unreachable: the file is embedded and tested
	}
	return texts
})

// Translate returns a text of the API's description in lang, or the English one if there is
// no translation.
func Translate(lang i18n.Lang, english string) string {
	if lang == i18n.Portuguese {
		if text, ok := translations()[english]; ok {
			return text
		}
	}
	return english
}
