package pages_test

import (
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// securityPages are what stands around an account: mails, proofs, people.
func securityPages() []page {
	wide := layouts.AuthProps{Path: "/dev/mail", Wide: true}
	kept := []pages.HiddenField{{Name: "name", Value: "Loja"}, {Name: "permissions", Value: "CHECKOUT:READ"}}
	return []page{
		{"dev mails", pages.DevMails(pages.DevMailsProps{AuthProps: wide, Now: now, Mails: []pages.DevMailRow{{ID: "mail_1", Subject: "Convite", To: "bia@loja.test", At: now}}})},
		{"dev mails empty", pages.DevMails(pages.DevMailsProps{AuthProps: wide, Now: now})},
		{"dev mail", pages.DevMail(pages.DevMailProps{AuthProps: wide, ID: "mail_1", Subject: "Convite", To: "bia@loja.test", At: now, Text: "Olá\n\nVer", Link: "https://app.example/convite/x"})},
		{"dev mail plain", pages.DevMail(pages.DevMailProps{AuthProps: wide, ID: "mail_1", Subject: "Senha", To: "bia@loja.test", At: now, Text: "Olá"})},
		{"step up", pages.StepUp(pages.StepUpProps{Shell: shell(true), Action: "/app/confirmar", Fields: kept[:1], ProofField: "proof"})},
		{"step up wrong", pages.StepUp(pages.StepUpProps{Shell: shell(false), Action: "/app/chaves", Fields: kept, ProofField: "proof", Errors: problem("proof")})},
	}
}
