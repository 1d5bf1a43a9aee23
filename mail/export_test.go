package mail

// Near is the rule of where a server without TLS is talked to.
func Near(s *Server) bool { return s.near() }

// Kinds are the params of every kind.
var Kinds = func() map[string][]string {
	all := map[string][]string{}
	for kind, k := range kinds {
		all[kind] = k.params
	}
	return all
}()
