// Package static embeds the stylesheets, scripts, font and icon of the pages, and names
// each by its content, so that browsers may cache them forever.
//
// The files in dist are built from src by "npm run build" and committed: building the
// program needs no Node. Package web serves them.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// Prefix is the path that all files are served below.
const Prefix = "/static/"

//go:embed dist
var dist embed.FS

// types are the content types by extension. Files with other extensions are not served.
var types = map[string]string{
	".css":   "text/css; charset=utf-8",
	".ico":   "image/x-icon",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/speculationrules+json",
	".png":   "image/png",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

var urls, assets = load()

// File is one representation of an asset. Body is shared and must not be
// changed.
type File struct {
	Body        []byte
	ContentType string
	Encoding    string // Content-Encoding: "br", "gzip", or "" for none
}

// asset is one embedded file and its compressed forms, which are made at first use.
type asset struct {
	contentType  string
	plain        []byte
	brotli, gzip func() []byte
}

// URL returns the address of an asset, such as /static/pay.3f2a9c1b.css for "pay.css". It
// returns "" for an unknown name, which every test that renders a page would notice.
func URL(name string) string { return urls[name] }

// Open returns the asset at a path below Prefix, such as "pay.3f2a9c1b.css", in the best
// form that the Accept-Encoding header allows. It returns false for any other path,
// including old fingerprints. Answers depend on Accept-Encoding (Vary) and never change
// (Cache-Control: public, max-age=31536000, immutable).
func Open(path, acceptEncoding string) (File, bool) {
	a, ok := assets[path]
	if !ok {
		return File{}, false
	}
	f := File{Body: a.plain, ContentType: a.contentType}
	if a.brotli == nil {
		return f, true
	}
	switch {
	case accepts(acceptEncoding, "br"):
		f.Body, f.Encoding = a.brotli(), "br"
	case accepts(acceptEncoding, "gzip"):
		f.Body, f.Encoding = a.gzip(), "gzip"
	}
	return f, true
}

// accepts reports whether an Accept-Encoding header (RFC 9110, 12.5.3) names the coding and
// does not refuse it by a weight of zero.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		q, found := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
		return !found || strings.Trim(q, "0.") != ""
	}
	return false
}

func load() (urls map[string]string, assets map[string]asset) {
	urls, assets = map[string]string{}, map[string]asset{}
	entries, err := dist.ReadDir("dist")
	if err != nil {
		return urls, assets // unreachable: the directory is embedded
	}
	for _, entry := range entries {
		name, ext := entry.Name(), path.Ext(entry.Name())
		body, err := dist.ReadFile("dist/" + name)
		if err != nil || types[ext] == "" {
			continue
		}
		sum := sha256.Sum256(body)
		hashed := fmt.Sprintf("%s.%s%s", strings.TrimSuffix(name, ext), hex.EncodeToString(sum[:4]), ext)
		urls[name] = Prefix + hashed
		assets[hashed] = newAsset(body, types[ext])
	}
	return urls, assets
}

// newAsset prepares the compressed forms of all files except fonts and PNG pictures, which are
// compressed already.
func newAsset(body []byte, contentType string) asset {
	a := asset{contentType: contentType, plain: body}
	if contentType == types[".woff2"] || contentType == types[".png"] {
		return a
	}
	a.brotli = sync.OnceValue(func() []byte {
		return compress(body,
			func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotli.BestCompression) })
	})
	a.gzip = sync.OnceValue(func() []byte {
		return compress(body, func(w io.Writer) io.WriteCloser {
			z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // fails only for unknown levels
			return z
		})
	})
	return a
}

// compress runs body through a compressor. Writing to memory does not fail.
func compress(body []byte, to func(io.Writer) io.WriteCloser) []byte {
	var buf bytes.Buffer
	w := to(&buf)
	_, _ = w.Write(body)
	_ = w.Close()
	return buf.Bytes()
}
