package bank

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"garoupa/pix/psp/bank/journal"
)

const invalidCharge = "CobOperacaoInvalida"

// chargeBody is what PUT, POST and PATCH of /cob take. A member that is absent is nil.
type chargeBody struct {
	Calendar *struct {
		Expiration *int `json:"expiracao"`
	} `json:"calendario"`
	Payer *struct {
		CPF  string `json:"cpf"`
		CNPJ string `json:"cnpj"`
		Name string `json:"nome"`
	} `json:"devedor"`
	Location *struct {
		ID int `json:"id"`
	} `json:"loc"`
	Status *string `json:"status"`
	Value  *struct {
		Original   *string          `json:"original"`
		Change     int              `json:"modalidadeAlteracao"`
		Withdrawal *json.RawMessage `json:"retirada"`
	} `json:"valor"`
	Key     *string `json:"chave"`
	Message *string `json:"solicitacaoPagador"`
	Infos   []struct {
		Name  string `json:"nome"`
		Value string `json:"valor"`
	} `json:"infoAdicionais"`
}

func decodeCharge(body []byte) (b chargeBody, err error) {
	if err := json.Unmarshal(body, &b); err != nil {
		return b, invalid(invalidCharge, "cob", "O corpo não é o objeto JSON de uma cobrança.")
	}
	return b, nil
}

// complete checks that a body has all that a new charge needs.
func (b chargeBody) complete() error {
	switch {
	case b.Calendar == nil:
		return invalid(invalidCharge, "cob.calendario", "Informe o calendário.")
	case b.Value == nil || b.Value.Original == nil:
		return invalid(invalidCharge, "cob.valor.original", "Informe o valor.")
	case b.Key == nil:
		return invalid(invalidCharge, "cob.chave", "Informe a chave.")
	}
	return nil
}

// change copies the members that the body has to a charge, if they obey the rules of the API.
func (b chargeBody) change(c *journal.Charge, key string) error {
	if b.Calendar != nil {
		c.Expiration = 86400
		if b.Calendar.Expiration != nil {
			c.Expiration = *b.Calendar.Expiration
		}
		if c.Expiration < 1 || c.Expiration > math.MaxInt32 {
			return invalid(invalidCharge, "cob.calendario.expiracao",
				"A expiração deve ser de 1 a 2147483647 segundos.")
		}
	}
	if b.Key != nil {
		if c.Key = *b.Key; c.Key != key {
			return invalid(invalidCharge, "cob.chave", "A chave não pertence a este usuário recebedor.")
		}
	}
	if err := b.changeAmount(c); err != nil {
		return err
	}
	if err := b.changePayer(c); err != nil {
		return err
	}
	return b.changeTexts(c)
}

func (b chargeBody) changeAmount(c *journal.Charge) error {
	if b.Value == nil {
		return nil
	}
	if b.Value.Withdrawal != nil {
		return invalid(invalidCharge, "cob.valor.retirada", "Esta conta não oferece Pix Saque nem Pix Troco.")
	}
	if b.Value.Change != 0 && b.Value.Change != 1 {
		return invalid(invalidCharge, "cob.valor.modalidadeAlteracao", "A modalidade deve ser 0 ou 1.")
	}
	c.Changeable = b.Value.Change == 1
	if b.Value.Original == nil {
		return nil
	}
	amount, ok := parseAmount(*b.Value.Original)
	if !ok || amount == 0 {
		return invalid(invalidCharge, "cob.valor.original", "O valor deve ser maior que zero, na forma 123.45.")
	}
	c.Amount = amount
	return nil
}

var (
	cpfShape  = regexp.MustCompile(`^\d{11}$`)
	cnpjShape = regexp.MustCompile(`^[0-9A-Z]{12}\d{2}$`)
)

func (b chargeBody) changePayer(c *journal.Charge) error {
	p := b.Payer
	if p == nil {
		return nil
	}
	switch {
	case (p.CPF == "") == (p.CNPJ == ""):
		return invalid(invalidCharge, "cob.devedor", "Informe o CPF ou o CNPJ do devedor, e só um deles.")
	case p.CPF != "" && !cpfShape.MatchString(p.CPF):
		return invalid(invalidCharge, "cob.devedor.cpf", "O CPF deve ter 11 dígitos.")
	case p.CNPJ != "" && !cnpjShape.MatchString(p.CNPJ):
		return invalid(invalidCharge, "cob.devedor.cnpj", "O CNPJ deve ter 14 caracteres.")
	case p.Name == "" || utf8.RuneCountInString(p.Name) > 200:
		return invalid(invalidCharge, "cob.devedor.nome", "O nome deve ter de 1 a 200 caracteres.")
	}
	c.Payer = &journal.Person{CPF: p.CPF, CNPJ: p.CNPJ, Name: p.Name}
	return nil
}

func (b chargeBody) changeTexts(c *journal.Charge) error {
	if b.Message != nil {
		if c.Message = *b.Message; utf8.RuneCountInString(c.Message) > 140 {
			return invalid(invalidCharge, "cob.solicitacaoPagador", "O texto tem mais de 140 caracteres.")
		}
	}
	if b.Infos == nil {
		return nil
	}
	if len(b.Infos) > 50 {
		return invalid(invalidCharge, "cob.infoAdicionais", "Há mais de 50 informações.")
	}
	c.Infos = nil
	for i, info := range b.Infos {
		if utf8.RuneCountInString(info.Name) > 50 || utf8.RuneCountInString(info.Value) > 200 {
			return invalid(invalidCharge, fmt.Sprintf("cob.infoAdicionais[%d]", i),
				"O nome tem mais de 50 caracteres, ou o valor mais de 200.")
		}
		c.Infos = append(c.Infos, journal.Info{Name: info.Name, Value: info.Value})
	}
	return nil
}

// maxAmount is the largest amount that the API can tell, in centavos.
const maxAmount = 9_999_999_999_99

var amountShape = regexp.MustCompile(`^\d{1,10}\.\d{2}$`)

// parseAmount reads reais, a point and two digits as centavos.
func parseAmount(text string) (centavos int64, ok bool) {
	if !amountShape.MatchString(text) {
		return 0, false
	}
	centavos, err := strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
	return centavos, err == nil
}

// decimal writes centavos as parseAmount reads them.
func decimal(centavos int64) string {
	return fmt.Sprintf("%d.%02d", centavos/100, centavos%100)
}
