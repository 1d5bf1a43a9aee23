package clientcert

import (
	"bytes"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"slices"
	"strings"

	"software.sslmate.com/src/go-pkcs12"

	"garoupa/internal/guard"
)

const (
	// maxIterations bounds the CPU time of a derivation to about a second. Programs that
	// export certificates use between 1 and 600,000 iterations.
	maxIterations = 1_000_000
	// lastUCS2 is the last character that passwords of PKCS#12 can contain (RFC 7292, B.1).
	lastUCS2 = 0xffff
)

// From RFC 7292 (appendix D) and RFC 8018 (appendices A and B).
var (
	oidData        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	oidKeyBag      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 12, 10, 1, 1}
	oidShroudedBag = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 12, 10, 1, 2}
	oidPBMAC1      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 14}
	oidPBKDF2      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
	oidHMACSHA256  = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 9}
)

// pfx is a whole file. In a file that was uploaded, MAC is not used.
type pfx struct {
	Version int
	Safe    contentInfo
	MAC     asn1.RawValue `asn1:"optional"`
}

type contentInfo struct {
	Type    asn1.ObjectIdentifier
	Content asn1.RawValue `asn1:"tag:0,explicit,optional"`
}

type safeBag struct {
	Type       asn1.ObjectIdentifier
	Value      asn1.RawValue   `asn1:"tag:0,explicit"`
	Attributes []asn1.RawValue `asn1:"set,optional"`
}

type macData struct {
	Digest     digestInfo
	Salt       []byte
	Iterations int
}

type digestInfo struct {
	Algorithm pkix.AlgorithmIdentifier
	Digest    []byte
}

type pbmac1Parameters struct{ Derivation, MAC pkix.AlgorithmIdentifier }

type pbkdf2Parameters struct {
	Salt                  []byte
	Iterations, KeyLength int
	Function              pkix.AlgorithmIdentifier
}

// addPKCS12 lets the library read a file that is arranged anew, so that it cannot be made to
// derive a key for years. The library derives with any count of iterations, and a count within
// an encrypted part cannot be seen before. But it refuses a second key, and it decrypts keys
// in the order of the parts. So the parts in clear, whose counts are known, come first, and
// one of them must have the key, as in the files of OpenSSL and Java.
func (c *contents) addPKCS12(file []byte, password string) error {
	parts, err := partsOf(file)
	if err != nil {
		return err
	}
	if strings.ContainsFunc(password, func(r rune) bool { return r > lastUCS2 }) {
		return Unsupported
	}
	arranged, err := arrange(parts, password)
	if err != nil {
		return Garbage
	}
	var key any
	var leaf *x509.Certificate
	var others []*x509.Certificate
	err = guard.Call("read PKCS#12", func() (err error) {
		key, leaf, others, err = pkcs12.DecodeChain(arranged, password)
		return err
	})
	if err != nil {
		return problemOf(err)
	}
	c.certificates = append(append(c.certificates, leaf), others...)
	return c.addKey(key, nil)
}

// problemOf translates an error of the library, whose texts may quote the file. Most errors
// mean that the password did not decrypt the file to something that makes sense.
func problemOf(err error) Problem {
	text := err.Error()
	switch {
	case errors.As(err, new(pkcs12.NotImplementedError)), strings.Contains(text, "is not supported"):
		return Unsupported
	case strings.Contains(text, "certificate missing"):
		return NoCertificate
	case strings.Contains(text, "error parsing PKCS#8"):
		return UnreadableKey
	case strings.HasPrefix(text, "x509:"):
		return Garbage
	}
	return WrongPassword
}

// partsOf returns the parts of a file, those in clear first. Exactly one key is in a part in
// clear, and no count of iterations is hostile.
func partsOf(file []byte) ([]asn1.RawValue, error) {
	var whole pfx
	var safe []byte
	var parts []asn1.RawValue
	if bytes.HasPrefix(file, []byte{0x30, 0x80}) { // BER with an indefinite length
		return nil, Unsupported
	}
	if unmarshal(file, &whole) != nil {
		return nil, Garbage
	}
	if whole.Version != 3 || !whole.Safe.Type.Equal(oidData) || !affordable(file) {
		return nil, Unsupported
	}
	if unmarshal(whole.Safe.Content.Bytes, &safe) != nil || unmarshal(safe, &parts) != nil {
		return nil, Garbage
	}
	var open, encrypted []asn1.RawValue
	var keys []safeBag
	for _, part := range parts {
		bags, ok := bagsIn(part)
		if !ok {
			encrypted = append(encrypted, part)
			continue
		}
		open = append(open, part)
		keys = append(keys, slices.DeleteFunc(bags, func(bag safeBag) bool {
			return !bag.Type.Equal(oidKeyBag) && !bag.Type.Equal(oidShroudedBag)
		})...)
	}
	switch {
	case len(keys) == 0:
		return nil, NoKey
	case len(keys) > 1:
		return nil, SeveralKeys
	case len(keys[0].Value.Bytes) > maxKey:
		return nil, UnreadableKey
	}
	return append(open, encrypted...), nil
}

// bagsIn returns the bags of a part, if it is one in clear.
func bagsIn(part asn1.RawValue) (bags []safeBag, open bool) {
	var info contentInfo
	var content []byte
	open = unmarshal(part.FullBytes, &info) == nil && info.Type.Equal(oidData) &&
		unmarshal(info.Content.Bytes, &content) == nil && unmarshal(content, &bags) == nil
	return bags, open
}

// affordable reports whether no count of iterations in DER is above maxIterations. In each
// structure of RFC 7292 and RFC 8018 such a count follows the OCTET STRING of a salt. PBMAC1
// leaves a count of 0 where older MACs have theirs. What an OCTET STRING contains counts only if
// it is one element and nothing else, because random bytes, such as a salt, may begin like one.
func affordable(der []byte) bool {
	afterSalt := false
	for len(der) > 0 {
		var element asn1.RawValue
		rest, err := asn1.Unmarshal(der, &element)
		if err != nil {
			return true // no DER, so the library does not read it either
		}
		if afterSalt && element.Class == asn1.ClassUniversal && element.Tag == asn1.TagInteger {
			var count int64
			if unmarshal(element.FullBytes, &count) != nil || count > maxIterations {
				return false
			}
		}
		afterSalt = element.Tag == asn1.TagOctetString
		inside := element.IsCompound || afterSalt && unmarshal(element.Bytes, new(asn1.RawValue)) == nil
		if inside && !affordable(element.Bytes) {
			return false
		}
		der = rest
	}
	return true
}

// arrange returns a file with the parts in this order, and with a MAC made of the password
// (PBMAC1, RFC 9579), because the library wants one. The MAC that the uploaded file had is not
// checked: it would show a wrong password or damage, and so do the padding, the structure and
// the key that must belong to the certificate.
func arrange(parts []asn1.RawValue, password string) ([]byte, error) {
	safe, err := asn1.Marshal(parts)
	if err != nil {
		return nil, err
	}
	const iterations, length = 1, sha256.Size // the file exists only for this call
	salt := []byte{0}
	key, err := pbkdf2.Key(sha256.New, string([]rune(password)), salt, iterations, length)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(safe)
	hmacSHA256 := pkix.AlgorithmIdentifier{Algorithm: oidHMACSHA256}
	derivation, err := algorithm(oidPBKDF2, pbkdf2Parameters{salt, iterations, length, hmacSHA256})
	if err != nil {
		return nil, err
	}
	pbmac1, err := algorithm(oidPBMAC1, pbmac1Parameters{derivation, hmacSHA256})
	if err != nil {
		return nil, err
	}
	data, err := asn1.Marshal(macData{digestInfo{pbmac1, mac.Sum(nil)}, salt, iterations})
	if err != nil {
		return nil, err
	}
	content, err := asn1.Marshal(safe)
	if err != nil {
		return nil, err
	}
	explicit := asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: content}
	return asn1.Marshal(pfx{3, contentInfo{oidData, explicit}, asn1.RawValue{FullBytes: data}})
}

// algorithm returns an identifier with its parameters.
func algorithm(oid asn1.ObjectIdentifier, parameters any) (pkix.AlgorithmIdentifier, error) {
	der, err := asn1.Marshal(parameters)
	return pkix.AlgorithmIdentifier{Algorithm: oid, Parameters: asn1.RawValue{FullBytes: der}}, err
}

var errTrailing = errors.New("clientcert: trailing data")

// unmarshal is asn1.Unmarshal for DER that has nothing behind it.
func unmarshal(der []byte, value any) error {
	rest, err := asn1.Unmarshal(der, value)
	if err == nil && len(rest) > 0 {
		return errTrailing
	}
	return err
}
