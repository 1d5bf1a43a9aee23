package mail

// Near reports whether mails may go to the server without TLS.
func Near(s *Server) bool { return s.near() }

// Kinds maps each kind to its params.
var Kinds = func() map[string][]string {
	all := map[string][]string{}
	for kind, k := range kinds {
		all[kind] = k.params
	}
	return all
}()
