package bank

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// profile is how one bank departs from the central bank's API Pix. All of it is second-hand:
// docs/bank.md.
type profile struct {
	base       string // path before /cob, /pix and all others
	chargeBase string // path before /cob/{txid}, if it is another
	tokenPath  string
	client     clientStyle
	created    int               // status of a new charge
	codeField  string            // member with the code to copy and paste
	exists     bool              // a second PUT of a charge is 409, and not a revision
	putOnly    bool              // there is no POST /cob
	errors     func(problem) any // body of an error
	headers    []string          // that every call must have
	query      string            // parameter that every call must have
	timeFormat string            // of times in answers
	tokenLife  time.Duration
	withheld   []string // scopes that the bank never grants
	array      bool     // a notice is an array, without an object around it
	probes     bool     // registration of a webhook first calls it without a certificate
	sends      bool     // it has payouts and disputes, in Efí's form
}

// clientStyle says where a request for a token has the id and the secret of the client.
type clientStyle int

const (
	basicForm  clientStyle = iota // Authorization: Basic, and a form
	basicJSON                     // Authorization: Basic, and a JSON body
	formSecret                    // both in the form
	formIDOnly                    // the id in the form; the certificate is the secret
)

const withMilliseconds = "2006-01-02T15:04:05.000Z07:00"

var generic = profile{
	base: "/v2", tokenPath: "/oauth/token", client: basicForm, created: 201, codeField: "pixCopiaECola",
	errors: problemDetails, timeFormat: withMilliseconds, tokenLife: time.Hour,
}

// profiles are the banks whose deviations this server can imitate.
var profiles = map[string]profile{
	"generic": generic,
	"efi": with(func(p *profile) {
		p.client, p.exists, p.errors, p.probes, p.sends = basicJSON, true, efiError, true, true
	}),
	"inter": with(func(p *profile) {
		p.base, p.tokenPath, p.client = "/pix/v2", "/oauth/v2/token", formSecret
		p.array, p.headers = true, []string{"x-conta-corrente"}
	}),
	"bb": with(func(p *profile) {
		p.base, p.created, p.errors, p.query = "/pix/v2", 200, bbError, "gw-dev-app-key"
	}),
	"itau": with(func(p *profile) {
		p.base, p.tokenPath, p.client = "/pix_recebimentos/v2", "/api/oauth/token", formSecret
		p.tokenLife, p.errors = 5*time.Minute, itauError
	}),
	"santander": with(func(p *profile) {
		p.base, p.client, p.created, p.putOnly = "/api/v1", formSecret, 200, true
		p.timeFormat = "2006-01-02T15:04:05Z07:00"
	}),
	"bradesco": with(func(p *profile) { p.created = 200 }),
	"sicoob": with(func(p *profile) {
		p.base, p.client, p.codeField = "/pix/api/v2", formIDOnly, "brcode"
		p.headers = []string{"client_id"}
	}),
	"sicredi": with(func(p *profile) {
		p.base, p.chargeBase = "/api/v2", "/api/v3"
		p.withheld = []string{"payloadlocation.read", "payloadlocation.write"}
	}),
	"c6": with(func(p *profile) { p.base, p.tokenPath, p.created = "/v2/pix", "/v1/auth", 200 }),
}

func with(change func(*profile)) profile {
	p := generic
	change(&p)
	return p
}

func profileNamed(name string) (profile, error) {
	p, known := profiles[name]
	if !known {
		return profile{}, fmt.Errorf("bank: %q is not a profile; there are %s", name,
			strings.Join(slices.Sorted(maps.Keys(profiles)), ", "))
	}
	if p.chargeBase == "" {
		p.chargeBase = p.base
	}
	return p, nil
}
