package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"

	"garoupa/models"
)

// digits is the number of hex digits that make a creation unique.
const digits = 16

// The digits of a creation follow these prefixes, which occur nowhere else in the request.
const (
	keyPrefix      = "bench-"
	externalPrefix = "order-"
)

// creationBody is a creation with every member, of ordinary length. It is valid for a day,
// so that no sweep expires checkouts during the measurement.
const creationBody = `{"amount":124990,"description":"Vaso Lua Nova, esmalte azul cobalto","externalId":"` +
	externalPrefix + `%s",` +
	`"currency":"BRL","customer":{"name":"Marina Prado","email":"marina@example.com",` +
	`"document":"12345678909","phone":"+55 11 98765-4321"},` +
	`"metadata":{"cart":"8f14e45fceea167a","channel":"web"},"expiresIn":86400}`

// requests returns the next request of one connection. The bytes are valid until the call
// after it.
type requests func() []byte

// creations returns unique creations.
func (s *site) creations(secret string, random *rand.Rand) requests {
	zeros := string(bytes.Repeat([]byte("0"), digits))
	body := fmt.Sprintf(creationBody, zeros)
	request := fmt.Appendf(nil, "POST /v1/checkouts HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s",
		s.listen, secret, keyPrefix+zeros, len(body), body)
	key := bytes.Index(request, []byte(keyPrefix+zeros)) + len(keyPrefix)
	external := bytes.Index(request, []byte(externalPrefix+zeros)) + len(externalPrefix)
	return func() []byte {
		n := random.Uint64()
		putHex(request[key:][:digits], n)
		putHex(request[external:][:digits], n)
		return request
	}
}

// reads returns reads of random checkouts of the data set.
func (s *site) reads(secret string, d *dataset, environment models.Environment, random *rand.Rand) requests {
	request := s.get(secret, "/v1/checkouts/"+checkoutID(1))
	id := bytes.Index(request, []byte(checkoutID(1)))
	return func() []byte {
		copy(request[id:], checkoutID(d.number(environment, random.IntN(d.each()))))
		return request
	}
}

// lists returns lists of 20: alternately the first page and the page after a random place.
func (s *site) lists(secret string, cursors []string, random *rand.Rand) requests {
	first := s.get(secret, "/v1/checkouts")
	deep := false
	return func() []byte {
		deep = !deep
		if !deep {
			return first
		}
		return s.get(secret, "/v1/checkouts?cursor="+cursors[random.IntN(len(cursors))])
	}
}

// payments returns payments of checkouts of the stock, each once.
func (s *site) payments(unpaid *stock) requests {
	request := s.payment(checkoutID(1))
	id := bytes.Index(request, []byte(checkoutID(1)))
	return func() []byte {
		copy(request[id:], checkoutID(unpaid.take()))
		return request
	}
}

// payment returns a payment of a checkout by the simulator's bank.
func (s *site) payment(id string) []byte {
	return fmt.Appendf(nil, "POST /pay/%s/simulate HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n", id, s.listen)
}

func (s *site) get(secret, path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, s.listen, secret)
}

// putHex writes n to dst in lower-case hex, with leading zeros.
func putHex(dst []byte, n uint64) {
	for i := range dst {
		dst[i] = '0'
	}
	text := strconv.AppendUint(make([]byte, 0, digits), n, 16)
	copy(dst[len(dst)-len(text):], text)
}
