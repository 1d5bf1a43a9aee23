package bacen

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"garoupa/internal/taxid"
	"garoupa/pix"
	"garoupa/pix/psp"
)

// Limits of API Pix, in characters.
const (
	maxMessage = 140 // solicitacaoPagador
	maxName    = 200 // devedor.nome
)

// maxCentavos is the most that ten digits before the point can express.
const maxCentavos = 9_999_999_999_99

// decimal writes centavos as API Pix has them, such as 37.00.
func decimal(centavos int64) string { return fmt.Sprintf("%d.%02d", centavos/100, centavos%100) }

// chargeBody is the body of PUT /cob/{txid}. modalidadeAlteracao is never sent: 1 would let the
// payer change the amount.
type chargeBody struct {
	Calendar struct {
		Expiration int `json:"expiracao"` // seconds
	} `json:"calendario"`
	Payer *payerBody `json:"devedor,omitempty"`
	Value valueBody  `json:"valor"`
	Key   string     `json:"chave"`

	Message string `json:"solicitacaoPagador,omitempty"`
}

type payerBody struct {
	CPF  string `json:"cpf,omitempty"`
	CNPJ string `json:"cnpj,omitempty"`
	Name string `json:"nome"`
}

type valueBody struct {
	Original string `json:"original"`
}

// encodeCharge refuses what no bank would accept.
func encodeCharge(charge psp.Charge, key string) ([]byte, error) {
	switch {
	case !pix.ValidChargeTxID(charge.TxID):
		return nil, invalid("the TxID is not 26 to 35 letters and digits")
	case charge.Amount < 1 || charge.Amount > maxCentavos:
		return nil, invalid("the amount is not from 0.01 to 9999999999.99")
	case charge.ExpiresIn < time.Second:
		return nil, invalid("the expiration is less than a second")
	}
	body := chargeBody{Payer: encodePayer(charge.Payer), Value: valueBody{decimal(charge.Amount)}, Key: key,
		Message: plain(charge.Description, maxMessage)}
	body.Calendar.Expiration = int(charge.ExpiresIn / time.Second)
	return json.Marshal(body)
}

// encodePayer returns nil for a person that the bank would refuse.
func encodePayer(p psp.Person) *payerBody {
	name := plain(p.Name, maxName)
	if name == "" {
		return nil
	}
	if cpf, ok := taxid.ParseCPF(p.Document); ok {
		return &payerBody{CPF: cpf, Name: name}
	}
	if cnpj, ok := taxid.ParseCNPJ(p.Document); ok {
		return &payerBody{CNPJ: cnpj, Name: name}
	}
	return nil
}

// plain returns a text on one line, without control characters, of at most n characters.
func plain(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(cut(s, n))
}

// validID reports whether an id may be a part of a URL: 1 to 64 letters and digits, more than API Pix
// allows, because banks send other ids than it says.
func validID(id string) bool {
	if len(id) < 1 || len(id) > 64 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// invalid returns the error of a request that is not sent.
func invalid(detail string) *psp.Error { return &psp.Error{Kind: psp.Invalid, Detail: detail} }
