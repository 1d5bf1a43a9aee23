package chromium

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"garoupa/web/browsertest/upward"
)

// npmPackage contains a headless Chromium, the libraries that a minimal system lacks (NSS,
// expat) and a font, each compressed with brotli.
const npmPackage = "node_modules/@sparticuz/chromium"

// The files that unpack writes into a folder, and that [at] looks for beside a browser.
const (
	executable = "chromium"
	libraries  = "lib"
	fontConfig = "fonts.conf"
)

// fontsXML makes fontconfig use the package's font and the system's. Without any font Chromium
// renders no text.
const fontsXML = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

// fromNPM returns the npm package's browser, unpacked once per version and user.
func fromNPM() (Browser, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return Browser{}, fmt.Errorf("the npm package @sparticuz/chromium runs on Linux x64 only, this is %s/%s",
			runtime.GOOS, runtime.GOARCH)
	}
	pkg, err := upward.Find(npmPackage)
	if err != nil {
		return Browser{}, err
	}
	version, err := packageVersion(pkg)
	if err != nil {
		return Browser{}, err
	}
	cache, err := cacheFolder()
	if err != nil {
		return Browser{}, err
	}
	return unpackOnce(filepath.Join(pkg, "bin"), filepath.Join(cache, "chromium-"+version))
}

func packageVersion(pkg string) (string, error) {
	manifest, err := os.ReadFile(filepath.Join(pkg, "package.json"))
	if err != nil {
		return "", fmt.Errorf("npm package: %w", err)
	}
	var about struct{ Version string }
	if err := json.Unmarshal(manifest, &about); err != nil {
		return "", fmt.Errorf("npm package: read package.json: %w", err)
	}
	if !filepath.IsLocal(about.Version) {
		return "", fmt.Errorf("npm package: package.json has version %q", about.Version)
	}
	return about.Version, nil
}

// cacheFolder returns the user's cache folder, or the temporary folder for a user without a
// writable home, as in many containers.
func cacheFolder() (string, error) {
	if cache, err := os.UserCacheDir(); err == nil {
		folder := filepath.Join(cache, "garoupa")
		if os.MkdirAll(folder, 0o755) == nil {
			return folder, nil
		}
	}
	folder := filepath.Join(os.TempDir(), "garoupa-cache-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("no folder to unpack the browser into: %w", err)
	}
	return folder, nil
}

// at returns the browser at path. If this package unpacked it, it has its own libraries and
// fonts, so it also runs on a minimal system.
func at(path string) Browser {
	browser := Browser{Path: path}
	folder := filepath.Dir(path)
	if _, err := os.Stat(filepath.Join(folder, fontConfig)); err != nil {
		return browser
	}
	lib := filepath.Join(folder, libraries)
	if inherited := os.Getenv("LD_LIBRARY_PATH"); inherited != "" {
		lib += string(os.PathListSeparator) + inherited
	}
	browser.Env = []string{"LD_LIBRARY_PATH=" + lib, "FONTCONFIG_FILE=" + filepath.Join(folder, fontConfig)}
	return browser
}
