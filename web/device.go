package web

import "strings"

// names are what User-Agent strings contain, by the name that people know; the first
// that is contained counts, as browsers claim to be those before them.
var (
	browserNames = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox", "Firefox"}, {"FxiOS", "Firefox"},
		{"CriOS", "Chrome"}, {"Chrome", "Chrome"}, {"Safari", "Safari"}, {"curl", "curl"},
	}
	systemNames = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"},
	}
)

// device names a browser and its system, "Chrome · Windows"; "" for one that nobody
// would know.
func device(userAgent string) string {
	return strings.Trim(firstName(browserNames, userAgent)+" · "+system(userAgent), " ·")
}

// system names what a browser runs on, "iPhone"; "" for what nobody would know.
func system(userAgent string) string { return firstName(systemNames, userAgent) }

func firstName(names [][2]string, userAgent string) string {
	for _, name := range names {
		if strings.Contains(userAgent, name[0]) {
			return name[1]
		}
	}
	return ""
}
