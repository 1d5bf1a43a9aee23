package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"garoupa/api"
)

const lockFile = "../../package-lock.json"

// written returns the document of the test's own binary.
func written(t *testing.T) bom {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var once, again bytes.Buffer
	for _, to := range []*bytes.Buffer{&once, &again} {
		if err := write(to, binary, lockFile); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(once.Bytes(), again.Bytes()) {
		t.Error("one build has two documents")
	}
	var doc bom
	decoder := json.NewDecoder(&once)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// The document names every module of the binary and every package of the lock file, and tells
// what is part of the program from what only builds it.
func TestWrite(t *testing.T) {
	t.Parallel()
	doc := written(t)
	if doc.Format != "CycloneDX" || doc.SpecVersion != "1.6" || doc.Metadata.Component.Version != api.Version {
		t.Errorf("the document is %s %s of %+v", doc.Format, doc.SpecVersion, doc.Metadata.Component)
	}
	hexDigits, scopes, refs := regexp.MustCompile(`^[0-9a-f]{128}$`), map[string]string{}, []string{}
	for _, c := range doc.Components {
		if c.Type != "library" || c.Name == "" || c.Version == "" || c.Ref != c.PURL ||
			!strings.HasPrefix(c.PURL, "pkg:") || scopes[c.PURL] != "" {
			t.Errorf("component %+v", c)
		}
		if strings.HasPrefix(c.PURL, "pkg:npm/") && (len(c.Licenses) != 1 || len(c.Hashes) != 1 ||
			!hexDigits.MatchString(c.Hashes[0].Content)) {
			t.Errorf("package %+v", c)
		}
		if scopes[c.PURL] = c.Scope; c.Scope == "required" {
			refs = append(refs, c.Ref)
		}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) == 0 {
		t.Fatal("the test's binary names no modules")
	}
	for _, m := range info.Deps {
		if scopes["pkg:golang/"+m.Path+"@"+strings.ReplaceAll(m.Version, "+", "%2B")] != "required" {
			t.Errorf("%s %s is missing", m.Path, m.Version)
		}
	}
	if len(doc.Dependencies) != 1 || doc.Dependencies[0].Ref != doc.Metadata.Component.Ref ||
		!slices.Equal(doc.Dependencies[0].DependsOn, refs) {
		t.Errorf("the program depends on %+v, want %q", doc.Dependencies, refs)
	}
	checkPackages(t, scopes)
}

// checkPackages compares the npm packages of a document with package.json's.
func checkPackages(t *testing.T, scopes map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ DevDependencies, OptionalDependencies map[string]string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	for _, group := range []map[string]string{manifest.DevDependencies, manifest.OptionalDependencies} {
		for name, version := range group {
			want := "excluded"
			if slices.Contains(shipped, name) {
				want = "required"
			}
			if got := scopes["pkg:npm/"+strings.Replace(name, "@", "%40", 1)+"@"+version]; got != want {
				t.Errorf("%s %s is %q, want %q", name, version, got, want)
			}
		}
	}
	for _, name := range shipped {
		if manifest.DevDependencies[name] == "" {
			t.Errorf("%s is no package of ours", name)
		}
	}
}
