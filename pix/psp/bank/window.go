package bank

import (
	"strconv"
	"time"
)

// window is the part of a list that a call asks for: a time from inicio to fim, both included,
// and a page of it.
type window struct {
	from, until time.Time
	number      int // of the page, from 0
	size        int
}

// readWindow reads inicio, fim and paginacao, as all lists of the API have them. name is that of
// the list's problem.
func readWindow(c call, name string) (w window, err error) {
	q := c.URL.Query()
	if w.from, err = time.Parse(time.RFC3339, q.Get("inicio")); err != nil {
		return w, invalid(name, "inicio", "O início deve ser uma data no formato da RFC 3339.")
	}
	if w.until, err = time.Parse(time.RFC3339, q.Get("fim")); err != nil {
		return w, invalid(name, "fim", "O fim deve ser uma data no formato da RFC 3339.")
	}
	if w.until.Before(w.from) {
		return w, invalid(name, "fim", "O fim é anterior ao início.")
	}
	if q.Get("cpf") != "" && q.Get("cnpj") != "" {
		return w, invalid(name, "cpf", "Informe o CPF ou o CNPJ, e não os dois.")
	}
	w.size = 100
	var ok bool
	if text := q.Get("paginacao.paginaAtual"); text != "" {
		if w.number, ok = parseNumber(text); !ok {
			return w, invalid(name, "paginacao.paginaAtual", "A página deve ser um número a partir de 0.")
		}
	}
	if text := q.Get("paginacao.itensPorPagina"); text != "" {
		if w.size, ok = parseNumber(text); !ok || w.size < 1 || w.size > 1000 {
			return w, invalid(name, "paginacao.itensPorPagina", "Os itens por página devem ser de 1 a 1000.")
		}
	}
	return w, nil
}

// parseNumber reads a number from 0 to a million.
func parseNumber(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n <= 1_000_000
}

func (w window) contains(t time.Time) bool { return !t.Before(w.from) && !t.After(w.until) }

// page returns the items of the asked page, and the parameters that a list repeats.
func page[T any](s *Server, w window, items []T) (shown []T, parameters map[string]any) {
	start := min(w.number*w.size, len(items))
	shown = append([]T{}, items[start:min(start+w.size, len(items))]...)
	return shown, map[string]any{
		"inicio": s.time(w.from), "fim": s.time(w.until),
		"paginacao": map[string]int{
			"paginaAtual": w.number, "itensPorPagina": w.size,
			"quantidadeDePaginas":    max(1, (len(items)+w.size-1)/w.size),
			"quantidadeTotalDeItens": len(items),
		},
	}
}

// time writes a time as the profile does.
func (s *Server) time(t time.Time) string { return t.UTC().Format(s.profile.timeFormat) }
