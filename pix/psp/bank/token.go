package bank

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// scopes are those of the API, and two of Efí's for payouts and disputes.
var scopes = []string{
	"cob.write", "cob.read", "pix.write", "pix.read", "webhook.write", "webhook.read",
	"payloadlocation.write", "payloadlocation.read",
}

var sendScopes = []string{"pix.send", "gn.pix.send.read", "gn.infractions.read", "gn.infractions.write"}

// tokens are the access tokens of this process. They end with it, as at a bank that restarts.
type tokens struct {
	mu     sync.Mutex
	issued map[string]grant
}

type grant struct {
	scopes []string
	until  time.Time
}

func (t *tokens) add(token string, g grant, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.issued == nil {
		t.issued = map[string]grant{}
	}
	for old, g := range t.issued {
		if now.After(g.until) {
			delete(t.issued, old)
		}
	}
	t.issued[token] = g
}

func (t *tokens) find(token string, now time.Time) (g grant, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, known = t.issued[token]
	return g, known && now.Before(g.until)
}

// credentials are the fields of a request for a token, from wherever the client put them.
type credentials struct {
	GrantType string `json:"grant_type"`
	Scope     string `json:"scope"`
	ID        string `json:"client_id"`
	Secret    string `json:"client_secret"`
}

// issueToken answers a request for an access token (RFC 6749, section 4.4).
func (s *Server) issueToken(c call) (answer, error) {
	got, ok := s.readCredentials(c)
	if !ok || !s.authentic(got) {
		return s.json(http.StatusUnauthorized, map[string]string{
			"error": "invalid_client", "error_description": "client_id ou client_secret inválido",
		}), nil
	}
	if got.GrantType != "client_credentials" {
		return s.json(http.StatusBadRequest, map[string]string{
			"error": "unsupported_grant_type", "error_description": "grant_type deve ser client_credentials",
		}), nil
	}
	granted := s.granted(strings.Fields(got.Scope))
	token := rand.Text()
	s.tokens.add(token, grant{granted, c.now.Add(s.profile.tokenLife)}, c.now)
	return s.json(http.StatusOK, map[string]any{
		"access_token": token, "token_type": "Bearer", "scope": strings.Join(granted, " "),
		"expires_in": int(s.profile.tokenLife / time.Second),
	}), nil
}

func (s *Server) readCredentials(c call) (got credentials, ok bool) {
	if s.profile.client == basicJSON {
		if err := json.Unmarshal(c.body, &got); err != nil {
			return credentials{}, false
		}
	} else {
		form, err := url.ParseQuery(string(c.body))
		if err != nil {
			return credentials{}, false
		}
		got = credentials{form.Get("grant_type"), form.Get("scope"), form.Get("client_id"), form.Get("client_secret")}
	}
	if s.profile.client == basicForm || s.profile.client == basicJSON {
		got.ID, got.Secret, ok = c.BasicAuth()
		return got, ok
	}
	return got, true
}

func (s *Server) authentic(got credentials) bool {
	secret := s.profile.client == formIDOnly ||
		subtle.ConstantTimeCompare([]byte(got.Secret), []byte(s.account.ClientSecret)) == 1
	return got.ID == s.account.ClientID && secret
}

// granted returns those of the asked scopes that the bank gives; all, if none was asked for.
func (s *Server) granted(asked []string) []string {
	given := slices.Clone(scopes)
	if s.profile.sends {
		given = append(given, sendScopes...)
	}
	withheld := s.profile.withheld
	if f, active := s.standing("fewer-scopes"); active {
		withheld = append(slices.Clone(withheld), scopeOr(f.Value, "cob.write"))
	}
	return slices.DeleteFunc(given, func(scope string) bool {
		return slices.Contains(withheld, scope) || len(asked) > 0 && !slices.Contains(asked, scope)
	})
}

func scopeOr(scope, otherwise string) string {
	if scope == "" {
		return otherwise
	}
	return scope
}
