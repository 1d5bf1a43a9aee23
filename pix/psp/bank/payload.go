package bank

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"

	"github.com/golang-jwt/jwt/v5"

	"garoupa/pix/psp/bank/journal"
)

// payload answers what a payer's app reads at the location of a code: the charge, signed (BACEN
// API Pix, GET /{pixUrlAccessToken}; RFC 7515). A charge that cannot be paid any more is gone.
func (s *Server) payload(c call) (answer, error) {
	var charge journal.Charge
	var known bool
	err := s.journal.View(func(state *journal.State) {
		var l journal.Location
		if l, known = state.LocationByToken(c.PathValue("token")); known {
			charge, known = state.Charge(l.TxID)
		}
	})
	if err != nil {
		return answer{}, err
	}
	if !known {
		return answer{}, notFound("CobPayloadNaoEncontrado", "Não há cobrança nesta location.")
	}
	if charge.Status != journal.Active || c.now.After(charge.PayableUntil()) {
		return answer{}, problem{status: http.StatusGone, name: "CobPayloadNaoEncontrado", title: "Removido.",
			detail: "A cobrança não pode mais ser paga."}
	}
	claims := s.chargeBase(charge)
	claims["status"] = string(charge.Status)
	claims["calendario"].(map[string]any)["apresentacao"] = s.time(c.now)
	signed := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims(claims))
	signed.Header["typ"] = "JOSE"
	signed.Header["jku"] = "https://" + s.host() + keysPath
	signed.Header["kid"] = s.keyID()
	signed.Header["x5t#S256"] = s.keyID()
	body, err := signed.SignedString(s.identity.PrivateKey)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, contentType: "application/jose", body: []byte(body)}, nil
}

// keyID is the SHA-256 thumbprint of the bank's certificate.
func (s *Server) keyID() string {
	sum := sha256.Sum256(s.identity.Certificate[0])
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// publicKeys answers with the key that signs payloads, as a JWK set (RFC 7517).
func (s *Server) publicKeys(call) (answer, error) {
	x, y, err := s.publicPoint()
	if err != nil {
		return answer{}, err
	}
	text := base64.RawURLEncoding.EncodeToString
	return s.json(http.StatusOK, map[string]any{"keys": []any{map[string]any{
		"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "key_ops": []string{"verify"},
		"kid": s.keyID(), "x5t#S256": s.keyID(), "x": text(x), "y": text(y),
		"x5c": []string{base64.StdEncoding.EncodeToString(s.identity.Certificate[0])},
	}}}), nil
}

// publicPoint returns the coordinates of the bank's public key, 32 bytes each.
func (s *Server) publicPoint() (x, y []byte, err error) {
	certificate, err := x509.ParseCertificate(s.identity.Certificate[0])
	if err != nil {
		return nil, nil, fmt.Errorf("bank: parse the own certificate: %w", err)
	}
	key, ok := certificate.PublicKey.(*ecdsa.PublicKey)
	if !ok {
		return nil, nil, errors.New("bank: the own certificate has no ECDSA key")
	}
	point, err := key.Bytes()
	if err != nil {
		return nil, nil, fmt.Errorf("bank: encode the own key: %w", err)
	}
	half := (len(point) - 1) / 2 // the first byte says that the point is not compressed
	return point[1 : 1+half], point[1+half:], nil
}
