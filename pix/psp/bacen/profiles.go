package bacen

// standard is API Pix as the central bank describes it. The limits are guesses: no bank says them.
var standard = Profile{
	TokenURL:   "/oauth/token",
	TokenStyle: BasicForm,
	Scopes:     []string{"cob.write", "cob.read", "pix.write", "pix.read", "webhook.write", "webhook.read"},
	CodeFields: []string{"pixCopiaECola", "brcode"},
	Conflicts:  []string{"CobOperacaoInvalida", "PixDevolucaoInvalida"},
	TimeFormat: Milliseconds, PageSize: 100, MaxWindow: 24,
	FiltersReturns: true, NoticeProof: NoticeProof{Kind: "mtls"},
	ReadsPerMinute: 120, WritesPerMinute: 600, TokensPerMinute: 6, InFlight: 64,
}

// own are the banks that are known here. All of it is second-hand, from libraries and questions of
// developers (docs/decisions/0054), and nothing is confirmed: see Profile.Confirmed. Banks without
// a base are told theirs by the contract.
var own = map[string]Profile{
	"generic": departs(func(*Profile) {}),
	"caixa":   departs(func(*Profile) {}),
	"efi": departs(func(p *Profile) {
		p.Base, p.TestBase = "https://pix.api.efipay.com.br/v2", "https://pix-h.api.efipay.com.br/v2"
		p.TokenStyle, p.Payer, p.Disputer = BasicJSON, Efi, Efi
		p.Conflicts = append(p.Conflicts, "txid_duplicado", "devolucao_id_duplicado")
	}),
	"inter": departs(func(p *Profile) {
		p.Base = "https://cdpj.partners.bancointer.com.br/pix/v2"
		p.TestBase = "https://cdpj-sandbox.partners.uatinter.co/pix/v2"
		p.TokenURL, p.TokenStyle = "/oauth/v2/token", FormSecret
		p.Headers = map[string]string{"x-conta-corrente": "{conta}"}
	}),
	"bb": departs(func(p *Profile) {
		p.Base, p.TestBase = "https://api-pix.bb.com.br/pix/v2", "https://api-pix.hm.bb.com.br/pix/v2"
		p.TokenURL = "https://oauth.bb.com.br/oauth/token"
		p.TestTokenURL = "https://oauth.hm.bb.com.br/oauth/token"
		p.Query = map[string]string{"gw-dev-app-key": "{app_key}"}
		p.CodeFields = append(p.CodeFields, "textoImagemQRcode")
	}),
	"itau": departs(func(p *Profile) {
		p.Base = "https://secure.api.itau/pix_recebimentos/v2"
		p.TokenURL, p.TokenStyle = "https://sts.itau.com.br/as/token.oauth2", FormSecret
	}),
	"santander": departs(func(p *Profile) {
		p.Base, p.TestBase = "https://trust-pix.santander.com.br/api/v1", "https://trust-pix-h.santander.com.br/api/v1"
		p.TokenURL, p.TokenStyle = "/oauth/token?grant_type=client_credentials", FormSecret
		p.TimeFormat = Seconds
	}),
	"bradesco": departs(func(p *Profile) {
		p.Base, p.TestBase = "https://qrpix.bradesco.com.br/v2", "https://qrpix-h.bradesco.com.br/v2"
	}),
	"sicoob": departs(func(p *Profile) {
		p.Base = "https://api.sicoob.com.br/pix/api/v2"
		p.TokenURL = "https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token"
		p.TokenStyle = FormIDOnly
		p.CodeFields = []string{"brcode", "pixCopiaECola"}
		p.Headers = map[string]string{"client_id": "{client_id}"}
	}),
	"sicredi": departs(func(p *Profile) {
		p.Base, p.TestBase = "https://api-pix.sicredi.com.br/api", "https://api-pix-h.sicredi.com.br/api"
		p.Versions = map[string]string{"cob": "v3", "*": "v2"}
	}),
	"c6": departs(func(p *Profile) {
		p.Base, p.TestBase = "https://baas-api.c6bank.info/v2/pix", "https://baas-api-sandbox.c6bank.info/v2/pix"
		p.TokenURL = "/v1/auth"
	}),
	"btg": departs(func(p *Profile) {
		p.Base, p.TestBase = "https://api.developer.btgpactual.com", "https://api-h.developer.btgpactual.com"
		p.TokenURL = ""
	}),
}

func departs(change func(*Profile)) Profile {
	p := standard.clone()
	change(&p)
	return p
}
