package bank

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// problem is an error as the API answers it (RFC 7807, BACEN API Pix "Tratamento de erros").
// Its texts are in Portuguese, as the texts of a Brazilian bank are.
type problem struct {
	status     int
	name       string // the last element of type
	title      string
	detail     string
	violations []violation
}

// violation names one member of a request that breaks a rule.
type violation struct {
	Reason   string `json:"razao"`
	Property string `json:"propriedade"`
}

// Error implements error.
func (p problem) Error() string { return p.name + ": " + p.detail }

func invalid(name, property, reason string) problem {
	return problem{status: http.StatusBadRequest, name: name, title: "Requisição inválida.",
		detail: reason, violations: []violation{{reason, property}}}
}

func notFound(name, detail string) problem {
	return problem{status: http.StatusNotFound, name: name, title: "Não encontrado.", detail: detail}
}

func forbidden(detail string) problem {
	return problem{status: http.StatusForbidden, name: "AcessoNegado", title: "Acesso negado.", detail: detail}
}

func unauthorized(detail string) problem {
	return problem{status: http.StatusUnauthorized, name: "AcessoNegado", title: "Não autorizado.", detail: detail}
}

func internal() problem {
	return problem{status: http.StatusInternalServerError, name: "ErroInternoDoServidor", title: "Erro interno.",
		detail: "O servidor não conseguiu atender o pedido."}
}

func problemDetails(p problem) any {
	return struct {
		Type       string      `json:"type"`
		Title      string      `json:"title"`
		Status     int         `json:"status"`
		Detail     string      `json:"detail"`
		Violations []violation `json:"violacoes,omitempty"`
	}{"https://pix.bcb.gov.br/api/v2/error/" + p.name, p.title, p.status, p.detail, p.violations}
}

func efiError(p problem) any {
	names := map[string]string{"TxidDuplicado": "txid_duplicado", "AcessoNegado": "acesso_negado"}
	name := names[p.name]
	if name == "" {
		name = "requisicao_invalida"
	}
	return map[string]string{"nome": name, "mensagem": p.detail}
}

func bbError(p problem) any {
	return map[string]any{"erros": []map[string]string{{
		"codigo": strconv.Itoa(p.status), "mensagem": p.detail, "ocorrencia": "TESTE",
	}}}
}

// itauError has the status as text.
func itauError(p problem) any {
	body := map[string]any{"type": "https://pix.bcb.gov.br/api/v2/error/" + p.name, "title": p.title,
		"status": strconv.Itoa(p.status), "detail": p.detail}
	if len(p.violations) > 0 {
		body["violacoes"] = p.violations
	}
	return body
}

// answer is what a handler answers, or what a fault makes of it.
type answer struct {
	status      int
	contentType string
	body        []byte
	retryAfter  string
}

func (s *Server) json(status int, v any) answer {
	if v == nil {
		return answer{status: status}
	}
	body, err := json.Marshal(v)
	if err != nil {
		s.log.Error("bank: an answer cannot be encoded", "err", err)
		return s.problem(internal())
	}
	return answer{status: status, contentType: "application/json", body: body}
}

func (s *Server) problem(p problem) answer {
	a := s.json(p.status, s.profile.errors(p))
	a.contentType = "application/problem+json"
	if p.status == http.StatusTooManyRequests {
		a.retryAfter = "2"
	}
	return a
}

func (a answer) write(w http.ResponseWriter) {
	if a.contentType != "" {
		w.Header().Set("Content-Type", a.contentType)
	}
	if a.retryAfter != "" {
		w.Header().Set("Retry-After", a.retryAfter)
	}
	w.WriteHeader(a.status)
	w.Write(a.body)
}
