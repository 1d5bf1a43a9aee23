package clientcert

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
)

// maxKeyBlocks allows the same key in both files. Checking a key takes time.
const maxKeyBlocks = 2

// byteOrderMark is what some editors of Windows put before a text.
var byteOrderMark = []byte("\xef\xbb\xbf")

// addPEM ignores blocks that are neither certificates nor keys, such as EC PARAMETERS.
func (c *contents) addPEM(file []byte, password string) error {
	rest := bytes.TrimPrefix(file, byteOrderMark)
	block, rest := pem.Decode(rest)
	if block == nil {
		return Garbage
	}
	for ; block != nil; block, rest = pem.Decode(rest) {
		if err := c.addBlock(block, password); err != nil {
			return err
		}
	}
	return nil
}

func (c *contents) addBlock(block *pem.Block, password string) error {
	switch block.Type {
	case pemCert:
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return Garbage
		}
		c.certificates = append(c.certificates, certificate)
		return nil
	case pemSecret:
		return EncryptedKey
	case pemKey, "RSA PRIVATE KEY", "EC PRIVATE KEY":
		return c.addPEMKey(block, password)
	}
	return nil
}

func (c *contents) addPEMKey(block *pem.Block, password string) error {
	der := block.Bytes
	if c.keyBlocks++; c.keyBlocks > maxKeyBlocks {
		return SeveralKeys
	}
	if len(der) > maxKey {
		return UnreadableKey
	}
	//lint:ignore SA1019 banks still give out keys in this format, and the caller is the key's owner
	encrypted := x509.IsEncryptedPEMBlock(block)
	if encrypted {
		var err error
		//lint:ignore SA1019 as above
		if der, err = x509.DecryptPEMBlock(block, []byte(password)); err != nil {
			return WrongPassword
		}
	}
	err := c.addKey(parseKey(block.Type, der))
	if err == UnreadableKey && encrypted {
		return WrongPassword // one of 256 wrong passwords leaves a padding that looks right
	}
	return err
}

func parseKey(kind string, der []byte) (any, error) {
	switch kind {
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(der)
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(der)
	}
	return x509.ParsePKCS8PrivateKey(der)
}
