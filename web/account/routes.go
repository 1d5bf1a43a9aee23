package account

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/web/page"
)

// Register adds the pages around logging in to r, and the security pages to app and ops, the
// parts of r for members and for staff.
func Register(r, app, ops fiber.Router, site *page.Site) {
	s := &account{site}
	r.Get("/", s.Public(func(c *fiber.Ctx) error { return c.Redirect("/app", fiber.StatusSeeOther) })...)
	r.Get("/cadastro", s.Public(s.byPassword(s.signUpForm))...)
	r.Post("/cadastro", s.Costly(s.byPassword(s.signUp))...)
	r.Get("/entrar", s.Public(s.logInForm)...)
	r.Post("/entrar", s.Costly(s.byPassword(s.logIn))...)
	r.Post("/sair", s.Public(s.logOut)...)
	r.Post("/preferencias", s.Public(s.preferences)...)
	r.Get("/2fa", s.Public(s.codeForm)...)
	r.Post("/2fa", s.Public(s.logInWithCode)...)

	r.Get("/esqueci-senha", s.Public(s.byPassword(s.forgotForm))...)
	r.Post("/esqueci-senha", s.Costly(s.byPassword(s.forgot))...)
	r.Get("/redefinir-senha", s.Public(s.byPassword(s.resetForm))...)
	r.Post("/redefinir-senha", s.Costly(s.byPassword(s.reset))...)
	r.Get("/nao-fui-eu", s.Public(s.newDeviceForm)...)
	r.Post("/nao-fui-eu", s.Public(s.denyDevice)...)
	r.Get(page.VerifyPath, append(s.Public(s.verifyForm), s.unverified)...)
	r.Post(page.VerifyPath, s.Public(s.verify)...)
	r.Get(page.InvitePath+":token", s.Public(s.readInvite)...)
	r.Post(page.InvitePath+":token", s.Costly(s.joinAsNewcomer)...)
	r.Post(page.InvitePath+":token/aceitar", s.Own(s.acceptInvite)...)

	r.Post(page.VerifyPath+"/reenviar", s.Own(s.Heavy, s.resendVerification)...)
	r.Post(page.VerifyPath+"/trocar", s.Own(s.Heavy, s.correctEmail)...)
	s.registerEmailChange(r)
	r.Post(page.ConfirmPath, s.Own(s.Heavy, s.confirm)...)
	r.Get("/2fa/ativar", s.Own(s.secondFirst, s.StepUp, s.totpForm)...)
	r.Post("/2fa/ativar", s.Own(s.secondFirst, s.StepUp, s.enrolTOTP)...)
	s.registerPasskeys(r)
	s.registerSSO(r)
	s.registerSecurity(app, strings.TrimPrefix(page.SecurityPath, "/app"))
	s.registerSecurity(ops, strings.TrimPrefix(page.OpsSecurityPath, "/ops"))
	app.Get(strings.TrimPrefix(page.SecurityPath, "/app")+"/senha", s.StepUp, s.byPassword(s.firstPasswordForm))
	app.Get("/contas", s.accounts)
	app.Post("/contas", s.switchAccount)
}
