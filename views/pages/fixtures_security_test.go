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
	keys := passkeys()
	members := []pages.MemberRow{
		{ID: "usr_1", Name: "Ana Lima", Email: "ana@loja.test", Role: "OWNER", TOTP: true, JoinedAt: now, SeenAt: hence(-time.Minute), Self: true},
		{ID: "usr_2", Name: "Bia", Email: "bia@loja.test", Role: "FINANCE", Passkey: true, JoinedAt: now},
	}
	invites := []pages.InviteRow{
		{ID: "inv_1", Email: "c@loja.test", Role: "VIEWER", SentAt: now, ExpiresAt: *hence(time.Hour)},
		{ID: "inv_2", Email: "d@loja.test", Role: "VIEWER", SentAt: now, ExpiresAt: *hence(-time.Hour), Expired: true},
	}
	var duties []pages.DutyRow
	for _, id := range []string{"see", "sell", "integrate", "money", "people", "own"} {
		duties = append(duties, pages.DutyRow{ID: id, May: []bool{true, true, false, false, id == "see"}})
	}
	kept := []pages.HiddenField{{Name: "name", Value: "Loja"}, {Name: "permissions", Value: "CHECKOUT:READ"}}
	return append(passkeyPages(frame), []page{
		{"dev mails", pages.DevMails(pages.DevMailsProps{AuthProps: wide, Now: now, Mails: []pages.DevMailRow{{ID: "mail_1", Subject: "Convite", To: "bia@loja.test", At: now}}})},
		{"dev mails empty", pages.DevMails(pages.DevMailsProps{AuthProps: wide, Now: now})},
		{"dev mail", pages.DevMail(pages.DevMailProps{AuthProps: wide, ID: "mail_1", Subject: "Convite", To: "bia@loja.test", At: now, Text: "Olá\n\nVer", Link: "https://app.example/convite/x"})},
		{"dev mail plain", pages.DevMail(pages.DevMailProps{AuthProps: wide, ID: "mail_1", Subject: "Senha", To: "bia@loja.test", At: now, Text: "Olá"})},
		{"step up", pages.StepUp(pages.StepUpProps{AuthProps: frame, Email: "m@loja.test", Action: "/confirmar", Fields: kept[:1], ProofField: "proof", KeyField: "key"})},
		{"step up wrong", pages.StepUp(pages.StepUpProps{AuthProps: frame, ByCode: true, Action: "/app/chaves", Fields: kept, ProofField: "proof", RecoveryField: "recovery", Errors: problem("proof")})},
		{"kept logged out", pages.Kept(pages.KeptProps{AuthProps: frame, Reason: pages.KeptLoggedOut, Action: "/app/produtos", Fields: kept, Files: true})},
		{"kept of test", pages.Kept(pages.KeptProps{AuthProps: frame, Reason: pages.KeptEnvironment, Action: "/app/produtos", Section: "/app/produtos", Fields: kept})},
		{"kept of an account", pages.Kept(pages.KeptProps{AuthProps: frame, Reason: pages.KeptAccount, Account: "Padaria", Action: "/app/produtos", Fields: kept})},
		{"team", pages.Team(pages.TeamProps{Shell: shell(true), CanManage: true, Members: members, Invites: invites, Duties: duties})},
		{"team alone", pages.Team(pages.TeamProps{Shell: shell(false), CanManage: true, Members: members[:1], Duties: duties})},
		{"team seen", pages.Team(pages.TeamProps{Shell: shell(false), Members: members, Invites: invites, Duties: duties})},
		{"invite form", pages.InviteForm(pages.InviteFormProps{Shell: shell(true), Roles: pages.Roles[1:], Role: "ADMIN", Errors: problem("email", "role")})},
		{"owner", pages.Member(pages.MemberProps{Shell: shell(true), Member: members[0], Roles: pages.Roles[1:]})},
		{"member", pages.Member(pages.MemberProps{Shell: shell(true), Member: members[1], Roles: pages.Roles[1:], CanChange: true, CanRemove: true, CanHandOver: true})},
		{"member leaves", pages.Member(pages.MemberProps{Shell: shell(true), Member: pages.MemberRow{ID: "usr_2", Name: "Bia", Role: "VIEWER", Self: true}, CanRemove: true})},
		{"accounts", pages.Accounts(pages.AccountsProps{Shell: shell(true), Accounts: []pages.AccountRow{{ID: "acc_1", Name: "Ateliê", Role: "OWNER", Current: true}, {ID: "acc_2", Name: "Padaria", Role: "VIEWER"}}})},
		{"invite new", pages.Invite(pages.InviteProps{AuthProps: frame, State: pages.InviteNew, Token: "inv_1", Account: "Ateliê", Inviter: "Ana", Email: "b@loja.test", Role: "ADMIN", Errors: problem("name", "password")})},
		{"invite known", pages.Invite(pages.InviteProps{AuthProps: frame, State: pages.InviteKnown, Token: "inv_1", Account: "Ateliê", Role: "ADMIN"})},
		{"invite mine", pages.Invite(pages.InviteProps{AuthProps: frame, State: pages.InviteMine, Token: "inv_1", Account: "Ateliê", Role: "ADMIN"})},
		{"invite others", pages.Invite(pages.InviteProps{AuthProps: frame, State: pages.InviteOthers, Token: "inv_1", Account: "Ateliê", Role: "ADMIN", Visitor: "x@loja.test"})},
		{"forgot", pages.Forgot(pages.ForgotProps{AuthProps: frame, Email: "m@", Errors: problem("email")})},
		{"forgot sent", pages.Forgot(pages.ForgotProps{AuthProps: frame, Email: "m@loja.test", Sent: true})},
		{"reset", pages.Reset(pages.ResetProps{AuthProps: frame, Token: "tok_1", Errors: problem("password")})},
		{"verify", pages.VerifyEmail(pages.VerifyEmailProps{AuthProps: frame, Token: "tok_1", Email: "m@loja.test"})},
		{"unverified", pages.UnverifiedEmail(pages.UnverifiedEmailProps{AuthProps: frame, Email: "m@loja.test", Flash: &components.FlashProps{Text: "Enviado"}})},
		{"unverified wrong", pages.UnverifiedEmail(pages.UnverifiedEmailProps{AuthProps: frame, Email: "m@loja.test", Other: "m@", Errors: problem("email")})},
		{"dead reset", pages.DeadLink(pages.DeadLinkProps{AuthProps: frame, Kind: pages.DeadReset})},
		{"dead verification", pages.DeadLink(pages.DeadLinkProps{AuthProps: frame, Kind: pages.DeadVerification})},
		{"dead invite", pages.DeadLink(pages.DeadLinkProps{AuthProps: frame, Kind: pages.DeadInvite})},
		{"new email", pages.NewEmail(pages.NewEmailProps{AuthProps: frame, Current: "m@loja.test", Email: "m@", Errors: problem("email")})},
		{"prove email", pages.ProveEmail(pages.ProveEmailProps{AuthProps: frame, Token: "tok_1", Email: "n@loja.test"})},
		{"dead email", pages.DeadLink(pages.DeadLinkProps{AuthProps: frame, Kind: pages.DeadEmail})},
		{"taken email", pages.DeadLink(pages.DeadLinkProps{AuthProps: frame, Kind: pages.DeadEmailTaken})},
		{"security new email", pages.Security(pages.SecurityProps{SecurityFrame: pages.SecurityFrame{Shell: shell(true)}, EmailVerified: true, NewEmail: &pages.EmailChange{Email: "n@loja.test", Until: now}, Sessions: sessions})},
		{"security of staff", pages.Security(pages.SecurityProps{SecurityFrame: pages.SecurityFrame{Shell: shell(false)}, EmailVerified: true, FixedEmail: true, Sessions: sessions})},
		{"security", pages.Security(pages.SecurityProps{SecurityFrame: pages.SecurityFrame{Shell: shell(true), Base: "/app/configuracoes/seguranca"}, HasPasskeys: true, MorePasskeys: true, Passkeys: keys, EmailVerified: true, TOTP: true, RecoveryLeft: 10, Sessions: sessions})},
		{"security bare", pages.Security(pages.SecurityProps{SecurityFrame: pages.SecurityFrame{Shell: shell(false)}, HasPasskeys: true, MorePasskeys: true, Sessions: sessions[:1], Errors: problem("current", "password")})},
		{"security few codes", pages.Security(pages.SecurityProps{SecurityFrame: pages.SecurityFrame{Shell: shell(false)}, HasPasskeys: true, Passkeys: keys, TOTP: true, RecoveryLeft: 1, Sessions: sessions})},
		{"code", pages.Code(pages.CodeProps{AuthProps: frame, Next: "/app", ByCode: true, ByKey: true})},
		{"code by passkey", pages.Code(pages.CodeProps{AuthProps: frame, Next: "/ops", ByKey: true})},
		{"code wrong", pages.Code(pages.CodeProps{AuthProps: frame, Next: "/app", ByCode: true, Errors: problem("code")})},
		{"code of recovery", pages.Code(pages.CodeProps{AuthProps: frame, Next: "/app", ByCode: true, Recovery: true, Errors: problem("code")})},
		{"totp", pages.TOTP(pages.TOTPProps{AuthProps: frame, Next: "/app", Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 41, Label: "QR"}})},
		{"totp of staff", pages.TOTP(pages.TOTPProps{AuthProps: frame, Next: "/ops", Secret: "GEZDGNBV", Staff: true, ByKey: true, QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 41, Label: "QR"}, Errors: problem("code")})},
		{"recovery codes", pages.RecoveryCodes(pages.RecoveryCodesProps{AuthProps: frame, Next: "/app", Codes: []string{"01234-abcde", "56789-fghjk"}, Enrolled: true})},
		{"recovery codes anew", pages.RecoveryCodes(pages.RecoveryCodesProps{AuthProps: frame, Next: "/app", Codes: []string{"01234-abcde"}})},
	}...)
}

func passkeys() []pages.PasskeyRow {
	return []pages.PasskeyRow{
		{ID: "pky_1", Name: "iPhone", CreatedAt: now, UsedAt: hence(-time.Hour)},
		{ID: "pky_2", Name: "Chave USB", CreatedAt: now},
	}
}

func passkeyPages(frame layouts.AuthProps) []page {
	keys := passkeys()
	return []page{
		{"passkey", pages.Passkey(pages.PasskeyProps{SecurityFrame: pages.SecurityFrame{Shell: shell(true), Base: "/app/configuracoes/seguranca"}, Passkey: keys[0], Name: "iPhone"})},
		{"passkey wrong", pages.Passkey(pages.PasskeyProps{SecurityFrame: pages.SecurityFrame{Shell: shell(false), Base: "/ops/seguranca"}, Passkey: keys[1], Errors: problem("passkey_name")})},
		{"passkey new", pages.NewPasskey(pages.NewPasskeyProps{AuthProps: frame, Next: "/app", Name: "iPhone"})},
		{"passkey new of staff", pages.NewPasskey(pages.NewPasskeyProps{AuthProps: frame, Next: "/ops", Staff: true, Errors: problem("passkey_name")})},
	}
}
