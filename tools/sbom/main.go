// Command sbom writes what a built program consists of, as CycloneDX JSON: the Go modules that
// the binary names, and the npm packages of package-lock.json. Those whose files are part of the
// program are required; those that only build or test it are excluded.
//
//	go run ./tools/sbom bin/garoupa package-lock.json > bin/garoupa.cdx.json
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"garoupa/api"
)

// shipped are the npm packages with files in static/dist or views/components: the typeface, the
// icons and the base styles (NOTICE).
var shipped = []string{"@fontsource-variable/inter", "lucide-static", "tailwindcss"}

// bom is a document of CycloneDX 1.6, with the members that are used here. It has no time and no
// serial number, so that one build has one document.
type bom struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Scope    string    `json:"scope,omitempty"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licenses []license `json:"licenses,omitempty"`
	PURL     string    `json:"purl,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type license struct {
	Expression string `json:"expression"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom <binary> <package-lock.json>")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(to io.Writer, binary, lock string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	packages, err := npmPackages(lock)
	if err != nil {
		return err
	}
	out := json.NewEncoder(to)
	out.SetIndent("", "  ")
	return out.Encode(newBOM(info, packages))
}

// newBOM returns the document of a program that was built of Go modules and npm packages.
func newBOM(info *debug.BuildInfo, packages []component) bom {
	program := component{Type: "application", Ref: "garoupa", Name: "garoupa", Version: api.Version}
	all := append(goModules(info), packages...)
	needs := dependency{Ref: program.Ref}
	for _, c := range all {
		if c.Scope == "required" {
			needs.DependsOn = append(needs.DependsOn, c.Ref)
		}
	}
	return bom{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1, Metadata: metadata{program}, Components: all,
		Dependencies: []dependency{needs},
	}
}

// goModules returns the modules that are linked into a binary, with the standard library.
func goModules(info *debug.BuildInfo) []component {
	version := strings.TrimPrefix(info.GoVersion, "go")
	all := []component{{Type: "library", Ref: "pkg:golang/std@" + version, Name: "std", Version: version,
		Scope: "required", PURL: "pkg:golang/std@" + version}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		purl := "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
		all = append(all, component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, Scope: "required",
			PURL: purl})
	}
	return all
}

// npmPackages returns the packages of a package-lock.json.
func npmPackages(path string) ([]component, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct{ Version, Integrity, License string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	all := map[string]component{} // one package may be installed in several folders
	for folder, p := range lock.Packages {
		_, name, ok := cutLast(folder, "node_modules/")
		if !ok {
			continue // the repository itself
		}
		purl := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version
		c := component{Type: "library", Ref: purl, Name: name, Version: p.Version, Scope: "excluded", PURL: purl}
		if slices.Contains(shipped, name) {
			c.Scope = "required"
		}
		if p.License != "" {
			c.Licenses = []license{{p.License}}
		}
		if digest, ok := strings.CutPrefix(p.Integrity, "sha512-"); ok {
			sum, err := base64.StdEncoding.DecodeString(digest)
			if err != nil {
				return nil, fmt.Errorf("%s: the integrity of %s: %w", path, name, err)
			}
			c.Hashes = []hash{{"SHA-512", hex.EncodeToString(sum)}}
		}
		all[purl] = c
	}
	var sorted []component
	for _, purl := range slices.Sorted(maps.Keys(all)) {
		sorted = append(sorted, all[purl])
	}
	return sorted, nil
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}
