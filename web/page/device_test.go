package page

import "testing"

func TestDevice(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 " +
			"Safari/537.36": "Chrome · Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 " +
			"Safari/537.36 Edg/141.0.0.0": "Edge · Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Version/18.6 Mobile/15E148 Safari/604.1": "Safari · iPhone",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 " +
			"Chrome/130.0.0.0 Mobile Safari/537.36": "Samsung Internet · Android",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0": "Firefox · macOS",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 " +
			"OPR/125.0.0.0": "Opera · Linux",
		"Go-http-client/1.1": "", "": "", "<script>Windows": "Windows",
	} {
		if got := Device(agent); got != want {
			t.Errorf("%s is %q, want %q", agent, got, want)
		}
	}
}
