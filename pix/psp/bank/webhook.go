package bank

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"garoupa/pix/psp/bank/journal"
)

const invalidWebhook = "WebhookOperacaoInvalida"

func (s *Server) webhookView(w journal.Webhook) map[string]any {
	return map[string]any{"webhookUrl": w.URL, "chave": w.Key, "criacao": s.time(w.CreatedAt)}
}

// putWebhook answers PUT /webhook/{chave}. As Efí, a profile that probes first calls the address
// without a certificate, and registers it only if it refuses; a header leaves the probes out.
func (s *Server) putWebhook(c call) (answer, error) {
	var body struct {
		URL string `json:"webhookUrl"`
	}
	if err := json.Unmarshal(c.body, &body); err != nil {
		return answer{}, invalid(invalidWebhook, "webhook", "O corpo não é um objeto JSON.")
	}
	if c.PathValue("key") != s.account.PixKey {
		return answer{}, invalid(invalidWebhook, "chave", "A chave não pertence a este usuário recebedor.")
	}
	u, err := url.Parse(body.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return answer{}, invalid(invalidWebhook, "webhook.webhookUrl", "Informe um endereço que comece com https://.")
	}
	if err := s.repeated(c, body.URL); err != nil {
		return answer{}, err
	}
	if s.profile.probes && c.Header.Get("x-skip-mtls-checking") != "true" {
		if reason := s.post.probe(c.Context(), body.URL); reason != "" {
			return answer{}, invalid(invalidWebhook, "webhook.webhookUrl", reason)
		}
	}
	w := journal.Webhook{Key: s.account.PixKey, URL: body.URL, CreatedAt: c.now}
	err = s.journal.Update(func(*journal.State) (journal.Entry, error) {
		return journal.Entry{Webhooks: []journal.Webhook{w}}, nil
	})
	if err != nil {
		return answer{}, err
	}
	return s.json(http.StatusOK, s.webhookView(w)), nil
}

// registered returns the webhook of a key, unless it was removed.
func registered(state *journal.State, key string) (w journal.Webhook, known bool) {
	w, known = state.Webhooks[key]
	if w.Removed {
		return journal.Webhook{}, false
	}
	return w, known
}

func noWebhook() problem { return notFound("WebhookNaoEncontrado", "A chave não tem webhook.") }

// readWebhook answers GET /webhook/{chave}.
func (s *Server) readWebhook(c call) (answer, error) {
	var w journal.Webhook
	var known bool
	err := s.journal.View(func(state *journal.State) { w, known = registered(state, c.PathValue("key")) })
	if err != nil {
		return answer{}, err
	}
	if !known {
		return answer{}, noWebhook()
	}
	if err := s.repeated(c, w.URL); err != nil {
		return answer{}, err
	}
	return s.json(http.StatusOK, s.webhookView(w)), nil
}

// repeated is a fault: a refusal whose texts have the address for notices, which is secret.
func (s *Server) repeated(c call, address string) error {
	if _, happens := s.happens(c.URL.Path, "repeat-address"); !happens {
		return nil
	}
	return invalid(invalidWebhook, address, "O endereço "+address+" não pode ser usado.")
}

// deleteWebhook answers DELETE /webhook/{chave}.
func (s *Server) deleteWebhook(c call) (answer, error) {
	err := s.journal.Update(func(state *journal.State) (journal.Entry, error) {
		w, known := registered(state, c.PathValue("key"))
		if !known {
			return journal.Entry{}, noWebhook()
		}
		w.Removed = true
		return journal.Entry{Webhooks: []journal.Webhook{w}}, nil
	})
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusNoContent}, nil
}

// listWebhooks answers GET /webhook. Its window is optional.
func (s *Server) listWebhooks(c call) (answer, error) {
	q := c.URL.Query()
	if q.Get("inicio") == "" && q.Get("fim") == "" {
		q.Set("inicio", "2020-01-01T00:00:00Z")
		q.Set("fim", c.now.UTC().Format(time.RFC3339Nano))
		c.URL.RawQuery = q.Encode()
	}
	win, err := readWindow(c, "WebhookConsultaInvalida")
	if err != nil {
		return answer{}, err
	}
	var found []any
	err = s.journal.View(func(state *journal.State) {
		if w, known := registered(state, s.account.PixKey); known && win.contains(w.CreatedAt) {
			found = append(found, s.webhookView(w))
		}
	})
	if err != nil {
		return answer{}, err
	}
	shown, parameters := page(s, win, found)
	return s.json(http.StatusOK, map[string]any{"parametros": parameters, "webhooks": shown}), nil
}
