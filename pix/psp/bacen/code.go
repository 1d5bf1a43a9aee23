package bacen

import (
	"cmp"
	"encoding/json"
	"strings"

	"garoupa/pix"
)

// Shown in the payer's app where neither the account nor the charge has a name in Latin letters. The
// institution of the payer shows the account's holder anyway.
const (
	unnamed = "RECEBEDOR"
	nowhere = "BRASIL"
)

// codeOf returns the BR Code of a charge, from the members that the profile names or built from the
// location. If a payer cannot pay the code, or no code can be built, it returns "" and the reason.
func (c *Client) codeOf(body []byte, charge chargeAnswer, name, city string) (code, reason string) {
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(body, &members) // the body was decoded before
	for _, field := range c.options.Profile.CodeFields {
		var t text
		if raw := members[field]; len(raw) > 0 && t.UnmarshalJSON(raw) == nil && t != "" {
			code = strings.TrimSpace(string(t))
			return checkCode(code, int64(charge.Value.Original))
		}
	}
	location := strings.TrimPrefix(firstOf(charge.Location, charge.Loc.Location), "https://")
	if location == "" {
		return "", "the answer has neither a code nor a location"
	}
	code, err := pix.Encode(pix.Code{
		Initiation: pix.SingleUse, Location: location, Amount: int64(charge.Value.Original),
		MerchantName: cmp.Or(pix.ASCII(c.options.HolderName, pix.MaxName), pix.ASCII(name, pix.MaxName), unnamed),
		MerchantCity: cmp.Or(pix.ASCII(c.options.HolderCity, pix.MaxCity), pix.ASCII(city, pix.MaxCity), nowhere),
	})
	if err != nil {
		return "", "no code can be built from the location: " + err.Error()
	}
	return code, ""
}

// checkCode returns the code if a payer can pay the amount with it.
func checkCode(code string, amount int64) (checked, reason string) {
	// Names longer than allowed, and merchant categories, which Parse refuses, are usual in codes of
	// banks, and payers' apps accept them.
	read, err := pix.ParseLenient(code)
	switch {
	case err != nil:
		return "", "the code cannot be read: " + err.Error()
	case read.Location == "":
		return "", "the code is static: a payer could pay it twice"
	case read.Amount != 0 && read.Amount != amount:
		return "", "the code is for another amount: " + decimal(read.Amount)
	}
	return code, ""
}
