package web

import "github.com/gofiber/fiber/v2"

// sessionMade is, in a session's cookie, the key of the form that made the last secret.
const sessionMade = "made"

// madeBefore reports whether the form that was sent has made its secret already. The answer
// to it shows the secret once, and reloading the answer sends the form again.
func (s *server) madeBefore(c *fiber.Ctx) bool {
	made, _ := s.session(c).Values[sessionMade].(string)
	return made != "" && made == c.FormValue("key")
}

// made remembers the form that was sent. Call it before rendering.
func (s *server) made(c *fiber.Ctx) error {
	sess := s.session(c)
	sess.Values[sessionMade] = formKey(c.FormValue("key"))
	return s.save(c, sess)
}
