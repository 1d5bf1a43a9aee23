package clientcert_test

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"testing"

	"garoupa/internal/clientcert"
)

func TestRead_Document(t *testing.T) {
	t.Parallel()
	w := made()
	const company, another, person = "11222333000181", "12ABC34501DE35", "52998224725"
	for _, c := range []struct {
		name, common, serial string
		field                any // in the alternative names
		want                 string
	}{
		{"none", "PADARIA", "", nil, ""},
		{"common name", "PADARIA:" + company, "", nil, company},
		{"person", "MARINA:529.982.247-25", "", nil, person},
		{"after the last colon", "PADARIA: VILA:" + another, "", nil, another},
		{"wrong digits", "PADARIA:11222333000182", "", nil, ""},
		{"without a colon", company, "", nil, ""},
		{"serial number", "PADARIA", "11.222.333/0001-81", nil, company},
		{"serial number of another kind", "PADARIA:" + company, "4711", nil, company},
		{"serial number and name", "PADARIA:" + person, company, nil, company},
		{"field", "PADARIA", "", []byte(company), company},
		{"field as text", "PADARIA", "", company, company},
		{"field before the others", "PADARIA:" + person, another, []byte(company), company},
		{"field of spaces", "PADARIA:" + person, "", []byte("              "), person},
		{"field without a text", "PADARIA", "", 4711, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			template := leaf(c.common)
			template.Subject.SerialNumber = c.serial
			if c.field != nil {
				template.ExtraExtensions = []pkix.Extension{alternativeNames(3, c.field)}
			}
			p := sign(template, w.company.key, nil)
			parsed := wantChain(t, clientcert.Files{Certificate: pemChain(p), Key: pemKey(p.key)}, p)
			if parsed.Document != c.want {
				t.Errorf("Document = %q, want %q", parsed.Document, c.want)
			}
		})
	}
	template := leaf("PADARIA")
	template.ExtraExtensions = []pkix.Extension{alternativeNames(4, []byte(person))} // who answers for the company
	p := sign(template, w.company.key, nil)
	parsed := wantChain(t, clientcert.Files{Certificate: pemChain(p), Key: pemKey(p.key)}, p)
	if parsed.Document != "" {
		t.Errorf("Document = %q, want none", parsed.Document)
	}
}

// alternativeNames has an email address and a field of ICP-Brasil, 2.16.76.1.3 with a number.
func alternativeNames(number int, value any) pkix.Extension {
	email := asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 1, Bytes: []byte("fiscal@exemplo.com.br")}
	form := must(asn1.Marshal(asn1.ObjectIdentifier{2, 16, 76, 1, 3, number}))
	inner := must(asn1.Marshal(explicit(must(asn1.Marshal(value)))))
	field := explicit(append(form, inner...)) // otherName is [0] of the names
	names := must(asn1.Marshal([]asn1.RawValue{email, field}))
	return pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: names}
}
