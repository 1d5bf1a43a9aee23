package static_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"garoupa/static"
)

// Every file has an address with its own hash, and is served from there alone.
func TestOpen(t *testing.T) {
	t.Parallel()
	for name, contentType := range map[string]string{
		"pay.css": "text/css; charset=utf-8", "app.css": "text/css; charset=utf-8",
		"pay.js": "text/javascript; charset=utf-8", "app.js": "text/javascript; charset=utf-8",
		"favicon.svg": "image/svg+xml", "inter.woff2": "font/woff2",
		"favicon.ico": "image/x-icon", "icon-180.png": "image/png", "icon-512.png": "image/png",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile("dist/" + name)
			if err != nil {
				t.Fatal(err)
			}
			url := static.URL(name)
			base, ext, _ := strings.Cut(name, ".")
			if !regexp.MustCompile(`^/static/` + base + `\.[0-9a-f]{8}\.` + ext + `$`).MatchString(url) {
				t.Fatalf("URL = %q", url)
			}
			f, ok := static.Open(strings.TrimPrefix(url, static.Prefix), "")
			if !ok || f.ContentType != contentType || f.Encoding != "" || !bytes.Equal(f.Body, want) {
				t.Errorf("Open = %d bytes, %q, %q, %v; want the file as it is", len(f.Body), f.ContentType,
					f.Encoding, ok)
			}
		})
	}
}

func TestOpen_Unknown(t *testing.T) {
	t.Parallel()
	if url := static.URL("nothing.css"); url != "" {
		t.Errorf("URL of no file = %q", url)
	}
	for _, path := range []string{"", "pay.css", "pay.00000000.css", "../static.go", "dist/pay.css", "/etc/passwd"} {
		if _, ok := static.Open(path, "br"); ok {
			t.Errorf("Open(%q) found a file", path)
		}
	}
}

// All text grows with the size that the reader has chosen.
func TestOpen_TypeInRem(t *testing.T) {
	t.Parallel()
	fixed := regexp.MustCompile(`font-size:[\d.]+px`)
	for _, name := range []string{"pay.css", "app.css"} {
		f, _ := static.Open(strings.TrimPrefix(static.URL(name), static.Prefix), "identity")
		if size := fixed.Find(f.Body); size != nil {
			t.Errorf("%s has %s", name, size)
		}
	}
}

// The best coding that the client takes is used, and unpacks to the file.
func TestOpen_Encoding(t *testing.T) {
	t.Parallel()
	path := strings.TrimPrefix(static.URL("app.css"), static.Prefix)
	plain, _ := static.Open(path, "identity")
	for _, tc := range []struct{ accept, want string }{
		{"", ""}, {"identity", ""}, {"deflate", ""}, {"xbr", ""},
		{"gzip", "gzip"}, {"GZIP", "gzip"}, {"gzip, deflate, br, zstd", "br"}, {"br;q=1.0, gzip;q=0.8", "br"},
		{"br;q=0, gzip", "gzip"}, {"br; q=0.000, gzip;q=0", ""}, {"br;q=0.001", "br"},
	} {
		t.Run(tc.accept, func(t *testing.T) {
			t.Parallel()
			f, ok := static.Open(path, tc.accept)
			if !ok || f.Encoding != tc.want {
				t.Fatalf("encoding = %q, %v; want %q", f.Encoding, ok, tc.want)
			}
			if got := unpack(t, f); !bytes.Equal(got, plain.Body) {
				t.Errorf("unpacks to %d bytes, not to the file's %d", len(got), len(plain.Body))
			}
			if tc.want != "" && len(f.Body) > len(plain.Body)/3 {
				t.Errorf("%d bytes compressed, %d plain", len(f.Body), len(plain.Body))
			}
		})
	}
}

// A font is compressed already.
func TestOpen_Font(t *testing.T) {
	t.Parallel()
	f, _ := static.Open(strings.TrimPrefix(static.URL("inter.woff2"), static.Prefix), "br, gzip")
	if f.Encoding != "" {
		t.Errorf("encoding = %q, want none", f.Encoding)
	}
}

// A stylesheet names other files by addresses that are served.
func TestStylesheetURLs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pay.css", "app.css"} {
		body, err := os.ReadFile("dist/" + name)
		if err != nil {
			t.Fatal(err)
		}
		refs := regexp.MustCompile(`url\(["']?(/static/[^"')]+)`).FindAllSubmatch(body, -1)
		if len(refs) == 0 {
			t.Errorf("%s names no font", name)
		}
		for _, ref := range refs {
			if _, ok := static.Open(strings.TrimPrefix(string(ref[1]), static.Prefix), ""); !ok {
				t.Errorf("%s names %s, which is not served: run npm run build", name, ref[1])
			}
		}
	}
}

// What a buyer's phone downloads stays within its budget.
func TestBudget(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int{"pay.css": 7 << 10, "pay.js": 5 << 9, "inter.woff2": 24 << 10} {
		f, ok := static.Open(strings.TrimPrefix(static.URL(name), static.Prefix), "br")
		if !ok || len(f.Body) > limit {
			t.Errorf("%s is %d bytes, budget %d", name, len(f.Body), limit)
		}
	}
}

func unpack(t *testing.T, f static.File) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(f.Body)
	switch f.Encoding {
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		r = z
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
