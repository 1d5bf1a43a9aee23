package web

import "golang.org/x/sync/singleflight"

// submissions leads a form that is sent twice, by a second press or a connection
// that was slow, to what its first sending made. It forgets after some thousands,
// and other instances do not know: the browser's cookie is what lasts. The zero
// value is ready; it is safe for concurrent use.
type submissions struct {
	flights singleflight.Group
	made    cache[string]
}

// maxToken is the length of the longest token that counts.
const maxToken = 100

// once returns the id that make made for the token, calling it at most once at a
// time and never again after it succeeded. Of is what the token belongs to. Without
// a token it always calls make.
func (s *submissions) once(of, token string, make func() (string, error)) (string, error) {
	if token == "" || len(token) > maxToken {
		return make()
	}
	key := of + " " + token
	id, err, _ := s.flights.Do(key, func() (any, error) {
		return s.made.load(key, func(string) (string, error) { return make() })
	})
	if err != nil {
		return "", err
	}
	return id.(string), nil
}
