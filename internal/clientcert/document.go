package clientcert

import (
	"crypto/x509"
	"encoding/asn1"
	"strings"

	"garoupa/internal/taxid"
)

var (
	oidSubjectAltName = asn1.ObjectIdentifier{2, 5, 29, 17}       // RFC 5280, 4.2.1.6
	oidCompany        = asn1.ObjectIdentifier{2, 16, 76, 1, 3, 3} // ICP-Brasil: the CNPJ of the holder
)

// otherName is a name in a form that an authority defined (RFC 5280, 4.2.1.6).
type otherName struct {
	Form  asn1.ObjectIdentifier
	Value asn1.RawValue `asn1:"tag:0,explicit"`
}

// document returns the CNPJ or CPF that a certificate names: as ICP-Brasil's field for it, as
// the serialNumber of the subject, or at the end of the common name ("COMPANY:11222333000181").
// Numbers with wrong check digits do not count.
func document(leaf *x509.Certificate) string {
	common := leaf.Subject.CommonName
	texts := append(companies(leaf), leaf.Subject.SerialNumber)
	if colon := strings.LastIndex(common, ":"); colon >= 0 {
		texts = append(texts, common[colon+1:])
	}
	for _, text := range texts {
		if number, ok := taxid.Parse(text); ok {
			return number
		}
	}
	return ""
}

// companies returns what the alternative names contain in ICP-Brasil's field for a CNPJ.
func companies(leaf *x509.Certificate) []string {
	var found []string
	for _, extension := range leaf.Extensions {
		var names []asn1.RawValue
		if !extension.Id.Equal(oidSubjectAltName) || unmarshal(extension.Value, &names) != nil {
			continue
		}
		for _, name := range names {
			var other otherName
			var value asn1.RawValue
			_, err := asn1.UnmarshalWithParams(name.FullBytes, &other, "tag:0")
			if err == nil && other.Form.Equal(oidCompany) && unmarshal(other.Value.Bytes, &value) == nil {
				found = append(found, string(value.Bytes))
			}
		}
	}
	return found
}
