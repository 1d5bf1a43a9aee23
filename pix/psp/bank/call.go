package bank

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

const maxBody = 1 << 20

// call is one request to the API.
type call struct {
	*http.Request
	body []byte
	now  time.Time // by the bank's clock
}

// handle answers a call. An error that is a problem is answered as it is; any other is 500.
type handle func(call) (answer, error)

// route is one operation of the API.
type route struct {
	method, path string
	scope        string
	handle       handle
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+locationPath+"{token}", s.open(s.payload))
	mux.HandleFunc("GET "+keysPath, s.open(s.publicKeys))
	mux.HandleFunc("POST "+s.profile.tokenPath, s.closed("", s.issueToken))
	for _, r := range s.routes() {
		mux.HandleFunc(r.method+" "+r.path, s.closed(r.scope, r.handle))
	}
	mux.HandleFunc("/", s.open(func(call) (answer, error) {
		return answer{}, notFound("NaoEncontrado", "Não há recurso neste endereço.")
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(Header, HeaderValue) // the redirects of the mux have it too
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) routes() []route {
	base, charge := s.profile.base, s.profile.chargeBase
	routes := []route{
		{"PUT", charge + "/cob/{txid}", "cob.write", s.putCharge},
		{"PATCH", charge + "/cob/{txid}", "cob.write", s.patchCharge},
		{"GET", charge + "/cob/{txid}", "cob.read", s.readCharge},
		{"GET", base + "/cob", "cob.read", s.listCharges},
		{"GET", base + "/pix/{e2eid}", "pix.read", s.readPayment},
		{"GET", base + "/pix", "pix.read", s.listPayments},
		{"PUT", base + "/pix/{e2eid}/devolucao/{id}", "pix.write", s.putReturn},
		{"GET", base + "/pix/{e2eid}/devolucao/{id}", "pix.read", s.readReturn},
		{"PUT", base + "/webhook/{key}", "webhook.write", s.putWebhook},
		{"GET", base + "/webhook/{key}", "webhook.read", s.readWebhook},
		{"DELETE", base + "/webhook/{key}", "webhook.write", s.deleteWebhook},
		{"GET", base + "/webhook", "webhook.read", s.listWebhooks},
		{"POST", base + "/loc", "payloadlocation.write", s.createLocation},
		{"GET", base + "/loc", "payloadlocation.read", s.listLocations},
		{"GET", base + "/loc/{id}", "payloadlocation.read", s.readLocation},
		{"DELETE", base + "/loc/{id}/txid", "payloadlocation.write", s.detachLocation},
	}
	if !s.profile.putOnly {
		routes = append(routes, route{"POST", base + "/cob", "cob.write", s.createCharge})
	}
	if s.profile.sends {
		routes = append(routes, s.payoutRoutes()...)
		routes = append(routes, s.disputeRoutes()...)
	}
	return routes
}

// open serves everyone, as payers' apps need.
func (s *Server) open(h handle) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.run(call{Request: r, now: s.clock()}, h).write(w)
	}
}

// closed serves the account's software only, and lets it meet the faults that are active. A
// scope of "" is that of a request for a token, which needs none.
func (s *Server) closed(scope string, h handle) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		now := s.clock()
		w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			s.problem(problem{status: http.StatusRequestEntityTooLarge, name: "RequisicaoInvalida",
				title: "Requisição grande demais.", detail: "O corpo tem mais de 1 MiB."}).write(w)
			return
		}
		c := call{Request: r, body: body, now: now}
		s.meetFaults(c, func() answer {
			return s.run(c, func(c call) (answer, error) {
				if err := s.admit(c, scope); err != nil {
					return answer{}, err
				}
				return h(c)
			})
		}).write(w)
	}
}

func (s *Server) run(c call, h handle) answer {
	a, err := h(c)
	var p problem
	switch {
	case err == nil:
		return a
	case errors.As(err, &p):
		return s.problem(p)
	}
	s.log.Error("bank: a call failed", "path", c.Pattern, "err", err)
	return s.problem(internal())
}

// admit checks the certificate, what the profile demands of each call, and the token.
func (s *Server) admit(c call, scope string) error {
	client := clientOf(c.Request)
	if client == nil {
		return forbidden("Apresente o certificado do cliente.")
	}
	if client.Subject.CommonName != s.account.ClientID {
		return forbidden("O certificado é de outro cliente.")
	}
	if scope == "" {
		return nil
	}
	for _, name := range s.profile.headers {
		if c.Header.Get(name) == "" {
			return invalid("RequisicaoInvalida", name, "Falta o cabeçalho "+name+".")
		}
	}
	if q := s.profile.query; q != "" && c.URL.Query().Get(q) == "" {
		return invalid("RequisicaoInvalida", q, "Falta o parâmetro "+q+".")
	}
	token, isBearer := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	granted, known := s.tokens.find(token, c.now)
	if !isBearer || !known {
		return unauthorized("O token não vale.")
	}
	if !slices.Contains(granted.scopes, scope) {
		return forbidden("O token não tem o escopo " + scope + ".")
	}
	return nil
}
