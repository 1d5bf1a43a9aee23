package folder

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"time"
)

const (
	leafLife      = 825 * 24 * time.Hour
	authorityLife = 10 * 365 * 24 * time.Hour
)

// certify makes the authority and the three certificates.
func (f Folder) certify(now time.Time) error {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "AC do banco de mentira TESTE"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(authorityLife), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	certificate, key, err := make509(template, nil)
	if err != nil {
		return err
	}
	if err := f.keep(authority, certificate, key); err != nil {
		return err
	}
	serverAuth, clientAuth := x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth
	for _, c := range []struct {
		file, commonName string
		usage            []x509.ExtKeyUsage
	}{
		{server, CommonName, []x509.ExtKeyUsage{serverAuth, clientAuth}},
		{client, f.Account.ClientID, []x509.ExtKeyUsage{clientAuth}},
		{notices, "avisos.teste", []x509.ExtKeyUsage{serverAuth}},
	} {
		certificate, key, err := f.Issue(c.commonName, now.Add(-time.Hour), now.Add(leafLife), c.usage...)
		if err != nil {
			return err
		}
		if err := f.keep(c.file, certificate, key); err != nil {
			return err
		}
	}
	return nil
}

func (f Folder) keep(name string, certificate, key []byte) error {
	if err := f.write(name+".crt", certificate, 0o600); err != nil {
		return err
	}
	return f.write(name+".key", key, 0o600)
}

// Issue makes another certificate for the account's holder and this machine, and its private key,
// both as PEM. It writes no file.
func (f Folder) Issue(commonName string, from, until time.Time, usage ...x509.ExtKeyUsage) (
	certificate, key []byte, err error) {
	by, err := f.pair(authority)
	if err != nil {
		return nil, nil, err
	}
	return make509(&x509.Certificate{
		Subject: pkix.Name{CommonName: commonName, Organization: []string{f.Account.HolderName},
			SerialNumber: f.Account.HolderDocument},
		NotBefore: from, NotAfter: until, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: usage,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}, &by)
}

// make509 makes a key and a certificate for it, signed by another, or by itself.
func make509(template *x509.Certificate, by *tls.Certificate) (certificate, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("bank folder: make a key: %w", err)
	}
	parent, signer := template, crypto.PrivateKey(private)
	if by != nil {
		if parent, err = x509.ParseCertificate(by.Certificate[0]); err != nil {
			return nil, nil, fmt.Errorf("bank folder: parse the authority: %w", err)
		}
		signer = by.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, private.Public(), signer)
	if err != nil {
		return nil, nil, fmt.Errorf("bank folder: make a certificate: %w", err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, fmt.Errorf("bank folder: encode a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), nil
}
