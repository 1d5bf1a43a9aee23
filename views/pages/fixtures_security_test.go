package pages_test

import (
	"time"

	"garoupa/views/components"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// securityPages are what stands around an account: mails, proofs, people.
func securityPages() []page {
	wide := layouts.AuthProps{Path: "/dev/mail", Wide: true}
	frame := layouts.AuthProps{Theme: layouts.ThemeDark, Path: "/2fa"}
	sessions := []pages.SessionRow{
		{ID: "ses_1", Device: "Chrome · Windows", IP: "203.0.113.7", SeenAt: now, Current: true},
		{ID: "ses_2", IP: "2001:db8::1", SeenAt: *hence(-50 * time.Hour)},
	}
	kept := []pages.HiddenField{{Name: "name", Value: "Loja"}, {Name: "permissions", Value: "CHECKOUT:READ"}}
	return []page{
		{"dev mails", pages.DevMails(pages.DevMailsProps{AuthProps: wide, Now: now, Mails: []pages.DevMailRow{{ID: "mail_1", Subject: "Convite", To: "bia@loja.test", At: now}}})},
		{"dev mails empty", pages.DevMails(pages.DevMailsProps{AuthProps: wide, Now: now})},
		{"dev mail", pages.DevMail(pages.DevMailProps{AuthProps: wide, ID: "mail_1", Subject: "Convite", To: "bia@loja.test", At: now, Text: "Olá\n\nVer", Link: "https://app.example/convite/x"})},
		{"dev mail plain", pages.DevMail(pages.DevMailProps{AuthProps: wide, ID: "mail_1", Subject: "Senha", To: "bia@loja.test", At: now, Text: "Olá"})},
		{"step up", pages.StepUp(pages.StepUpProps{AuthProps: frame, Email: "m@loja.test", Action: "/confirmar", Fields: kept[:1], ProofField: "proof"})},
		{"step up wrong", pages.StepUp(pages.StepUpProps{AuthProps: frame, ByCode: true, Action: "/app/chaves", Fields: kept, ProofField: "proof", Errors: problem("proof")})},
		{"forgot", pages.Forgot(pages.ForgotProps{AuthProps: frame, Email: "m@", Errors: problem("email")})},
		{"forgot sent", pages.Forgot(pages.ForgotProps{AuthProps: frame, Email: "m@loja.test", Sent: true})},
		{"reset", pages.Reset(pages.ResetProps{AuthProps: frame, Token: "tok_1", Errors: problem("password")})},
		{"verify", pages.VerifyEmail(pages.VerifyEmailProps{AuthProps: frame, Token: "tok_1"})},
		{"unverified", pages.UnverifiedEmail(pages.UnverifiedEmailProps{AuthProps: frame, Email: "m@loja.test", Flash: &components.FlashProps{Text: "Enviado"}})},
		{"unverified wrong", pages.UnverifiedEmail(pages.UnverifiedEmailProps{AuthProps: frame, Email: "m@loja.test", Other: "m@", Errors: problem("email")})},
		{"dead reset", pages.DeadLink(pages.DeadLinkProps{AuthProps: frame, Kind: pages.DeadReset})},
		{"dead verification", pages.DeadLink(pages.DeadLinkProps{AuthProps: frame, Kind: pages.DeadVerification})},
		{"dead invite", pages.DeadLink(pages.DeadLinkProps{AuthProps: frame, Kind: pages.DeadInvite})},
		{"security", pages.Security(pages.SecurityProps{Shell: shell(true), EmailVerified: true, TOTP: true, RecoveryLeft: 10, Sessions: sessions})},
		{"security bare", pages.Security(pages.SecurityProps{Shell: shell(false), Sessions: sessions[:1], Errors: problem("current", "password")})},
		{"security few codes", pages.Security(pages.SecurityProps{Shell: shell(false), TOTP: true, RecoveryLeft: 1, Sessions: sessions})},
		{"code", pages.Code(pages.CodeProps{AuthProps: frame, Next: "/app"})},
		{"code wrong", pages.Code(pages.CodeProps{AuthProps: frame, Next: "/app", Errors: problem("code")})},
		{"code of recovery", pages.Code(pages.CodeProps{AuthProps: frame, Next: "/app", Recovery: true, Errors: problem("code")})},
		{"totp", pages.TOTP(pages.TOTPProps{AuthProps: frame, Next: "/app", Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 41, Label: "QR"}})},
		{"totp of staff", pages.TOTP(pages.TOTPProps{AuthProps: frame, Next: "/ops", Secret: "GEZDGNBV", Staff: true, QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 41, Label: "QR"}, Errors: problem("code")})},
		{"recovery codes", pages.RecoveryCodes(pages.RecoveryCodesProps{AuthProps: frame, Next: "/app", Codes: []string{"01234-abcde", "56789-fghjk"}, Enrolled: true})},
		{"recovery codes anew", pages.RecoveryCodes(pages.RecoveryCodesProps{AuthProps: frame, Next: "/app", Codes: []string{"01234-abcde"}})},
	}
}
