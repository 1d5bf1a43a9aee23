package banks

import (
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
)

// CertificateFiles are the files of a server's certificate. They are read again when they change, so that a
// certificate is replaced without a restart. It is safe for concurrent use.
type CertificateFiles struct {
	certificate, key string
	log              *slog.Logger

	mu      sync.Mutex
	seen    [2]fs.FileInfo // when the files were read last
	current *tls.Certificate
}

// OpenCertificateFiles reads a certificate, with its chain, and its key. Both files are PEM.
func OpenCertificateFiles(certificate, key string, log *slog.Logger) (*CertificateFiles, error) {
	f := &CertificateFiles{certificate: certificate, key: key, log: log}
	if _, err := f.look(); err != nil {
		return nil, err
	}
	return f, f.read()
}

// Certificate returns the certificate as the files have it now. If they do not belong together, as while they
// are being replaced, it is the one before.
func (f *CertificateFiles) Certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changed, err := f.look()
	if err == nil && changed {
		err = f.read()
	}
	if err != nil && changed {
		f.log.Warn("the certificate for notices cannot be read again; the one before still serves", "err", err)
	}
	return f.current, nil
}

// look reports whether the files are others than those that were read.
func (f *CertificateFiles) look() (changed bool, err error) {
	for i, name := range []string{f.certificate, f.key} {
		info, err := os.Stat(name)
		if err != nil {
			return false, err
		}
		before := f.seen[i]
		if before == nil || !os.SameFile(before, info) || !before.ModTime().Equal(info.ModTime()) ||
			before.Size() != info.Size() {
			changed, f.seen[i] = true, info
		}
	}
	return changed, nil
}

func (f *CertificateFiles) read() error {
	pair, err := tls.LoadX509KeyPair(f.certificate, f.key)
	if err != nil {
		return fmt.Errorf("the certificate and its key: %w", err)
	}
	f.current = &pair
	return nil
}
