package i18n_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/a-h/templ/parser/v2"
	"github.com/google/go-cmp/cmp"
)

// named are groups whose keys package web chooses, for errors of forms and for messages
// about finished work.
var named = []string{"problem.", "flash."}

// Both catalogs have the same keys.
func TestCatalogs(t *testing.T) {
	t.Parallel()
	portuguese, english := catalog(t, "pt-BR.json"), catalog(t, "en.json")
	if diff := cmp.Diff(slices.Sorted(maps.Keys(portuguese)), slices.Sorted(maps.Keys(english))); diff != "" {
		t.Fatalf("keys (-pt-BR +en)\n%s", diff)
	}
	verb := regexp.MustCompile(`%(\[\d+\])?[a-zA-Z]`)
	for key, text := range portuguese {
		other := english[key]
		if strings.TrimSpace(text) != text || strings.TrimSpace(other) != other || text == "" || other == "" {
			t.Errorf("%s: empty, or with space around: %q, %q", key, text, other)
		}
		if diff := cmp.Diff(verb.FindAllString(text, -1), verb.FindAllString(other, -1)); diff != "" {
			t.Errorf("%s: verbs (-pt-BR +en)\n%s", key, diff)
		}
		if strings.Count(text, "**")%2 != 0 || strings.Count(text, "**") != strings.Count(other, "**") {
			t.Errorf("%s: ** does not pair: %q, %q", key, text, other)
		}
	}
}

// Every key in a template exists, and every key of the catalogs is used.
func TestKeys(t *testing.T) {
	t.Parallel()
	texts := catalog(t, "pt-BR.json")
	call := regexp.MustCompile(`i18n\.(T|N|In)\([^,]+, "([^"]+)"( ?\+)?`)
	literal := regexp.MustCompile(`"([a-z]+\.[A-Za-z0-9_]+)"`)
	prefix := regexp.MustCompile(`"([a-z]+\.[A-Za-z0-9_]*)" ?\+`)

	used := map[string]bool{}
	for file, source := range sources(t, "..", "../../web", "../../internal/mail") {
		for _, m := range call.FindAllStringSubmatch(source, -1) {
			keys := []string{m[2]}
			if m[1] == "N" {
				keys = []string{m[2] + "_one", m[2] + "_other"}
			}
			for _, key := range keys {
				used[key] = true
				if _, ok := texts[key]; !ok && m[3] == "" {
					t.Errorf("%s: no text for %q", file, key)
				}
			}
		}
		for _, m := range literal.FindAllStringSubmatch(source, -1) {
			used[m[1]] = true
		}
		for _, m := range prefix.FindAllStringSubmatch(source, -1) {
			for key := range texts {
				if strings.HasPrefix(key, m[1]) {
					used[key] = true
				}
			}
		}
	}
	for key := range texts {
		if !used[key] && !slices.ContainsFunc(named, func(group string) bool { return strings.HasPrefix(key, group) }) {
			t.Errorf("nothing uses %q", key)
		}
	}
}

// Texts are in the catalogs, never in a template.
func TestTemplatesHoldNoWords(t *testing.T) {
	t.Parallel()
	spoken := []string{"aria-label", "title", "placeholder", "alt", "content", "value"}
	technical := regexp.MustCompile(`^(width=|noindex|telephone|light dark|(test|live|check|save|send|edit|on|off)$|/)`)
	files := 0
	for file := range sources(t, "..") {
		if !strings.HasSuffix(file, ".templ") {
			continue
		}
		files++
		parsed, err := parser.Parse(file)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		walk(reflect.ValueOf(parsed), func(node any) {
			switch node := node.(type) {
			case parser.Text:
				if strings.ContainsFunc(node.Value, unicode.IsLetter) {
					t.Errorf("%s: text %q", file, node.Value)
				}
			case parser.ConstantAttribute:
				if slices.Contains(spoken, node.Key.String()) && strings.ContainsFunc(node.Value, unicode.IsLetter) &&
					!technical.MatchString(node.Value) {
					t.Errorf("%s: %s=%q", file, node.Key, node.Value)
				}
			}
		})
	}
	if files < 20 {
		t.Errorf("%d templates found", files)
	}
}

// walk visits every struct below v.
func walk(v reflect.Value, visit func(any)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	case reflect.Struct:
		visit(v.Interface())
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i), visit)
			}
		}
	}
}

// catalog reads a catalog as flat keys.
func catalog(t *testing.T, name string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var pages map[string]map[string]string
	if err := json.Unmarshal(raw, &pages); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	flat := map[string]string{}
	for page, texts := range pages {
		for key, text := range texts {
			flat[page+"."+key] = text
		}
	}
	return flat
}

// sources are the hand-written files below the folders, by path.
func sources(t *testing.T, folders ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !regexp.MustCompile(`\.(templ|go)$`).MatchString(path) ||
				regexp.MustCompile(`_(templ|gen|test)\.go$`).MatchString(path) {
				return err
			}
			source, err := os.ReadFile(path)
			found[path] = string(source)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}
