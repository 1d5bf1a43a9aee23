package page

import "strings"

// The names in User-Agent strings, with the names that people know. The first name that a
// string contains is used, because browsers also claim to be older ones.
var (
	browserNames = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox", "Firefox"},
		{"FxiOS", "Firefox"},
		{"CriOS", "Chrome"}, {"Chrome", "Chrome"}, {"Safari", "Safari"}, {"curl", "curl"},
	}
	systemNames = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"},
	}
)

// Device returns the names of a browser and its system, "Chrome · Windows", or "" if they are
// unknown.
func Device(userAgent string) string {
	return strings.Trim(firstName(browserNames, userAgent)+" · "+System(userAgent), " ·")
}

// System returns the name of the system, "iPhone", or "" if it is unknown.
func System(userAgent string) string { return firstName(systemNames, userAgent) }

func firstName(names [][2]string, userAgent string) string {
	for _, name := range names {
		if strings.Contains(userAgent, name[0]) {
			return name[1]
		}
	}
	return ""
}
