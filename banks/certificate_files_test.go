package banks_test

import (
	"bytes"
	"crypto/x509"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/banks/bankstest"
)

// The certificate is replaced while the server serves. Files that do not belong together change nothing.
func TestCertificateFiles(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	dir := t.TempDir()
	files := [2]string{filepath.Join(dir, "n.crt"), filepath.Join(dir, "n.key")}
	write := func(which int, content []byte) {
		t.Helper()
		if err := os.WriteFile(files[which]+".new", content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(files[which]+".new", files[which]); err != nil {
			t.Fatal(err)
		}
	}
	made := func(name string) (certificate, key []byte) {
		t.Helper()
		certificate, key, err := h.Bank.Folder.Issue(name, time.Now().Add(-time.Hour), time.Now().Add(time.Hour),
			x509.ExtKeyUsageServerAuth)
		if err != nil {
			t.Fatal(err)
		}
		return certificate, key
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	if _, err := banks.OpenCertificateFiles(files[0], files[1], logger); err == nil {
		t.Error("files that do not exist were opened")
	}
	certificate, key := made("first")
	write(0, certificate)
	write(1, key)
	opened, err := banks.OpenCertificateFiles(files[0], files[1], logger)
	if err != nil {
		t.Fatal(err)
	}
	n := h.ReceiveBy(t, banks.ReceiverOptions{}, opened.Certificate)
	serves := func(want string) {
		t.Helper()
		answer := h.Send(t, http.MethodPost, n.URL+h.Path(t), nil, "{}", h.Certificate(t))
		if got := answer.TLS.PeerCertificates[0].Subject.CommonName; got != want || answer.StatusCode != 200 {
			t.Errorf("%s serves, want %s: %d", got, want, answer.StatusCode)
		}
	}
	serves("first")
	certificate, key = made("second")
	write(0, certificate)
	serves("first") // with its key
	write(1, key)
	serves("second")
	write(1, []byte("garbage"))
	serves("second")
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	serves("second")
	if !strings.Contains(log.String(), "cannot be read again") || strings.Contains(log.String(), "PRIVATE") {
		t.Errorf("the log is %s", &log)
	}
}
