package webhook_test

import (
	"errors"
	"strings"
	"testing"

	"garoupa/webhook"
)

func reasonOf(err error) webhook.Reason {
	if refused, ok := errors.AsType[*webhook.URLError](err); ok {
		return refused.Reason
	}
	return ""
}

func TestCheckURLAccepts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		url                string
		live, allowPrivate bool
	}{
		{"https://example.com", true, false},
		{"https://example.com/", true, false},
		{"https://loja.example.com.br:8443/hooks/pix?token=a%20b&x=1", true, false},
		{"https://example.com./hook", true, false},
		{"HTTPS://Example.COM/Hook", true, false},
		{"https://my_shop.example.com/hook", true, false},
		{"https://xn--aa-4iaz.com.br/hook", true, false},
		{"https://açaí.com.br/notificação", true, false},
		{"https://localhost.example.com/", true, false},
		{"https://internal-tools.example/", true, false},
		{"https://0x7f.example/", true, false},
		{"https://1.2.3.4.example/", true, false},
		{"https://8.8.8.8/hook", true, false},
		{"https://172.32.0.1/", true, false},
		{"https://[2606:4700:4700::1111]:8443/hook", true, false},
		{"https://[::ffff:8.8.8.8]/hook", true, false},
		{"https://[64:ff9b::8.8.8.8]/hook", true, false},
		{"https://example.com:/hook", true, false},
		{"http://example.com/hook", false, false},
		{"http://localhost:3000/hook", false, true},
		{"http://127.0.0.1:3000/hook", false, true},
		{"http://[::1]:3000/hook", false, true},
		{"http://192.168.0.10/hook", false, true},
		{"http://[fd12:3456::1]/hook", false, true},
		{"http://shop:8080/hook", false, true},
		{"http://shop.internal/hook", false, true},
		{"https://localhost/hook", true, true},
		{"https://example.com/" + strings.Repeat("é", webhook.MaxURLLength-20), true, false},
	}
	for _, test := range tests {
		if err := webhook.CheckURL(test.url, test.live, test.allowPrivate); err != nil {
			t.Errorf("CheckURL(%q, live %t, private %t): %v", test.url, test.live, test.allowPrivate, err)
		}
	}
}

func TestCheckURLRefusesForm(t *testing.T) {
	t.Parallel()
	long := "https://example.com/" + strings.Repeat("a", webhook.MaxURLLength)
	tests := []struct {
		url  string
		want webhook.Reason
	}{
		{long, webhook.ReasonTooLong},
		{long[:webhook.MaxURLLength+1], webhook.ReasonTooLong},
		{"", webhook.ReasonMalformed},
		{"/hook", webhook.ReasonMalformed},
		{"//example.com/hook", webhook.ReasonMalformed},
		{"example.com/hook", webhook.ReasonMalformed},
		{"https:example.com/hook", webhook.ReasonMalformed},
		{" https://example.com/hook", webhook.ReasonMalformed},
		{"https://example.com/a b", webhook.ReasonMalformed},
		{"https://example.com/\r\nx: y", webhook.ReasonMalformed},
		{"https://example.com/\xff", webhook.ReasonMalformed},
		{"https://example.com:port/", webhook.ReasonMalformed},
		{"ftp://example.com/hook", webhook.ReasonScheme},
		{"file:///etc/passwd", webhook.ReasonScheme},
		{"gopher://example.com:70/_", webhook.ReasonScheme},
		{"javascript:alert(1)", webhook.ReasonScheme},
		{"http://example.com/hook", webhook.ReasonInsecure},
		{"https://user@example.com/", webhook.ReasonCredentials},
		{"https://user:password@example.com/", webhook.ReasonCredentials},
		{"https://@example.com/", webhook.ReasonCredentials},
		{"https://example.com/#part", webhook.ReasonFragment},
		{"https://example.com/#", webhook.ReasonFragment},
		{"https:///hook", webhook.ReasonHost},
		{"https://:443/hook", webhook.ReasonHost},
		{"https://./hook", webhook.ReasonHost},
		{"https://example..com/", webhook.ReasonHost},
		{"https://.example.com/", webhook.ReasonHost},
		{"https://example.com../", webhook.ReasonHost},
		{"https://exa$mple.com/", webhook.ReasonHost},
		{"https://" + strings.Repeat("a", 64) + ".com/", webhook.ReasonHost},
		{"https://" + strings.Repeat("a.", 127) + "com/", webhook.ReasonHost},
		{"https://example.com:0/", webhook.ReasonHost},
		{"https://example.com:65536/", webhook.ReasonHost},
		{"https://example.1/", webhook.ReasonHost},
		{"https://256.1.1.1/", webhook.ReasonHost},
		{"https://134744072/", webhook.ReasonHost}, // 8.8.8.8, in a spelling that some resolvers refuse
		{"https://[2606:4700:4700::1111%25eth0]/", webhook.ReasonHost},
	}
	for _, test := range tests {
		if got := reasonOf(webhook.CheckURL(test.url, true, false)); got != test.want {
			t.Errorf("CheckURL(%q): reason %q, want %q", test.url, got, test.want)
		}
	}
}

// Ports of other protocols are refused in test and in live, but on a developer's own machine, and
// the error names the port.
func TestCheckURLRefusesPorts(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://example.com:25/": "25", "https://example.com:22": "22", "https://example.com:6000/hook": "6000",
		"https://8.8.8.8:6667/": "6667", "https://[2606:4700:4700::1111]:5060/": "5060",
		"https://example.com:010080/": "010080",
		"https://example.com":         "", "https://example.com:443/": "", "https://example.com:8443/": "",
		"https://example.com:80/": "", "https://example.com:65535/": "",
	} {
		for _, live := range []bool{true, false} {
			err := webhook.CheckURL(raw, live, false)
			if want == "" {
				if err != nil {
					t.Errorf("CheckURL(%q): %v", raw, err)
				}
			} else if reasonOf(err) != webhook.ReasonPort || !strings.HasSuffix(err.Error(), "port "+want) {
				t.Errorf("CheckURL(%q): %v, want port %s", raw, err, want)
			}
		}
	}
	for raw, want := range map[string]webhook.Reason{"http://localhost:6000/": "", "http://127.0.0.1:1": "",
		"https://example.com:25/": webhook.ReasonPort} {
		if got := reasonOf(webhook.CheckURL(raw, false, true)); got != want {
			t.Errorf("CheckURL(%q), private allowed: reason %q, want %q", raw, got, want)
		}
	}
	if outcome := newClient().Post(t.Context(), attempt("https://example.com:25")); outcome.Class !=
		webhook.ClassBlocked {
		t.Errorf("outcome %+v, want blocked", outcome)
	}
}

// The error's text is logged, and a URL may contain a token.
func TestURLErrorKeepsURLSecret(t *testing.T) {
	t.Parallel()
	err := webhook.CheckURL("https://user:"+urlToken+"@example.com/", true, false)
	if err == nil || strings.Contains(err.Error(), urlToken) {
		t.Errorf("error %v", err)
	}
}

// hostileHosts are spellings of hosts that lead to the internal network.
var hostileHosts = []string{
	// Names.
	"localhost", "LOCALHOST", "localhost.", "localhost.localdomain", "a.localhost", "printer.local",
	"metadata.google.internal", "metadata", "postgres", "host.docker.internal", "router.home.arpa", "home.arpa",
	"ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ｌｏｃａｌｈｏｓｔ", "loc\u00adalhost", "printer。local",
	// IPv4.
	"127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
	"100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "0.0.0.0", "0.1.2.3", "224.0.0.1",
	"239.255.255.250", "240.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1",
	// IPv4 in the spellings of inet_aton.
	"127.0.0.1.", "127.1", "127.0.1", "2130706433", "017700000001", "0177.0.0.1", "0177.0.0.01", "127.0.0.01",
	"0x7f000001", "0X7F.0.0.1", "0x7f.1", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "169.254.43518",
	"0", "0x0", "10.1", "192.168.257", "①②⑦.⓪.⓪.①", "127。0。0。1", "１２７.0.0.1",
	// IPv6, and IPv4 within.
	"[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[fe80::1]", "[fe80::1%25eth0]", "[fec0::1]", "[fc00::1]",
	"[fd12:3456:789a::1]",
	"[fd00:ec2::254]", "[fd20:ce::254]", "[ff02::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:a9fe:a9fe]",
	"[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b::c0a8:101]",
	"[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001::7f00:1]", "[2001:db8::1]", "[3fff::1]", "[100::1]", "[5f00::1]",
}

func TestCheckURLRefusesHostileHosts(t *testing.T) {
	t.Parallel()
	if len(hostileHosts) < 40 {
		t.Fatalf("only %d hosts", len(hostileHosts))
	}
	for _, host := range hostileHosts {
		for _, form := range []string{"https://HOST/hook", "http://HOST:8080/"} {
			raw := strings.Replace(form, "HOST", host, 1)
			if got := reasonOf(webhook.CheckURL(raw, false, false)); got != webhook.ReasonPrivate {
				t.Errorf("CheckURL(%q): reason %q, want private", raw, got)
			}
		}
	}
}

// Metadata services are refused even where private targets are allowed.
func TestCheckURLNeverAllowsMetadata(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		"169.254.169.254", "2852039166", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[fd00:ec2::254]",
		"[fd20:ce::254]",
		"100.100.100.200", "168.63.129.16", "0.0.0.0", "[::]", "[fe80::1%25eth0]", "224.0.0.1", "[ff02::1]",
	} {
		if got := reasonOf(webhook.CheckURL("http://"+host+"/", false, true)); got != webhook.ReasonPrivate {
			t.Errorf("CheckURL(%q): reason %q, want private", host, got)
		}
	}
}
