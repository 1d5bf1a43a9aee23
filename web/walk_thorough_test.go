//go:build walk

package web_test

import "garoupa/views/i18n"

func init() { languages, thorough = append(languages, i18n.English), true }
