package pages_test

import (
	"slices"
	"time"

	"garoupa/views/components"
	"garoupa/views/layouts"
	"garoupa/views/pages"
	"garoupa/views/pages/account"
	"garoupa/views/pages/dashboard"
	"garoupa/views/pages/docs"
)

// recoveryCode has the form of a recovery code.
const recoveryCode = "01234-abcde-fghjk-mnpqr-stvwx"

// securityPages are the pages around an account: mails, proofs, people.
func securityPages() []page {
	frame := layouts.AuthProps{Theme: layouts.ThemeDark, Path: "/2fa"}
	return slices.Concat(devMailPages(), proofPages(frame), teamPages(frame), mailLinkPages(frame),
		sessionPages(), passkeyPages(frame), ssoPages(frame))
}

// ssoPages are the pages around a log-in at the company's provider.
func ssoPages(frame layouts.AuthProps) []page {
	kept := []pages.HiddenField{{Name: "name", Value: "Loja"}}
	all := []page{
		{"only a provider", account.SSOOnly(account.SSOOnlyProps{AuthProps: frame, Name: "Empresa"})},
		{"proven at a provider", account.SSODone(account.SSODoneProps{AuthProps: frame})},
		{"step up at a provider", pages.StepUp(pages.StepUpProps{AuthProps: frame, Email: "m@loja.test",
			Action: "/confirmar", Fields: kept, Provider: "Empresa", Next: "/app/chaves"})},
		{"step up at a provider in a tab", pages.StepUp(pages.StepUpProps{AuthProps: frame, Email: "m@loja.test",
			Action: "/app/chaves", Fields: kept, ProofField: "proof", ByPassword: true, Provider: "Empresa"})},
		{"invite to a provider", account.Invite(account.InviteProps{AuthProps: frame, State: account.InviteNew,
			Token: "t", Account: "Padaria", Inviter: "Ana", Email: "b@loja.test", Role: "VIEWER",
			SSO: account.SSO{Name: "Empresa", Only: true}})},
		{"security by a provider", account.Security(account.SecurityProps{
			SecurityFrame: account.SecurityFrame{Shell: shell(true)}, EmailVerified: true,
			SSO: account.SSO{Name: "Empresa", Only: true}})},
		{"provider too often", account.SSOProblemPage(account.SSOProblemProps{AuthProps: frame, Name: "Empresa",
			Problem: account.SSOCancelled, Wait: "Espere.", Again: "/entrar"})},
	}
	for _, problem := range []account.SSOProblem{account.SSODown, account.SSOCancelled, account.SSOStale,
		account.SSONoPerson, account.SSOUnverified, account.SSOProof} {
		all = append(all, page{"provider " + string(problem), account.SSOProblemPage(account.SSOProblemProps{
			AuthProps: frame, Name: "Empresa", Problem: problem, Again: "/entrar?next=%2Fapp"})})
	}
	return all
}

// devMailPages are the pages that show a developer the mails that were sent.
func devMailPages() []page {
	wide := layouts.AuthProps{Path: "/dev/mail", Wide: true}
	return []page{
		{"dev mails", docs.DevMails(docs.DevMailsProps{
			AuthProps: wide, Now: now,
			Mails: []docs.DevMailRow{{ID: "mail_1", Subject: "Convite", To: "bia@loja.test", At: now}},
		})},
		{"dev mails empty", docs.DevMails(docs.DevMailsProps{AuthProps: wide, Now: now})},
		{"dev mail", docs.DevMail(docs.DevMailProps{
			AuthProps: wide, ID: "mail_1", Subject: "Convite", To: "bia@loja.test", At: now, Text: "Olá\n\nVer",
			Link: "https://app.example/convite/x",
		})},
		{"dev mail plain", docs.DevMail(docs.DevMailProps{
			AuthProps: wide, ID: "mail_1", Subject: "Senha", To: "bia@loja.test", At: now, Text: "Olá",
		})},
	}
}

// proofPages ask for a proof, show a second factor, or keep a form until the visitor is back.
func proofPages(frame layouts.AuthProps) []page {
	kept := []pages.HiddenField{{Name: "name", Value: "Loja"}, {Name: "permissions", Value: "CHECKOUT:READ"}}
	return []page{
		{"step up", pages.StepUp(pages.StepUpProps{
			AuthProps: frame, Email: "m@loja.test", Action: "/confirmar", Fields: kept[:1], ProofField: "proof",
			KeyField: "key",
		})},
		{"step up wrong", pages.StepUp(pages.StepUpProps{
			AuthProps: frame, ByCode: true, Action: "/app/chaves", Fields: kept, ProofField: "proof",
			RecoveryField: "recovery", Errors: problem("proof"),
		})},
		{"kept logged out", pages.Kept(pages.KeptProps{
			AuthProps: frame, Reason: pages.KeptLoggedOut, Open: "/entrar", Action: "/app/produtos", Fields: kept,
			Files: true,
		})},
		{"kept until a second factor", pages.Kept(pages.KeptProps{
			AuthProps: frame, Reason: pages.KeptSecondFactor, Open: "/2fa/ativar?need=live&next=/app",
			Action: "/app/chaves", Fields: kept,
		})},
		{"totp for live", account.TOTP(account.TOTPProps{
			AuthProps: frame, Next: "/app/chaves/nova", Secret: "GEZDGNBV", Need: pages.NeedLive, ByKey: true,
			QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 41, Label: "QR"},
		})},
		{"passkey for live", account.NewPasskey(account.NewPasskeyProps{
			AuthProps: frame, Next: "/app/chaves/nova", Name: "iPhone", Need: pages.NeedLive, HasPassword: true,
		})},
		{"kept of test", pages.Kept(pages.KeptProps{
			AuthProps: frame, Reason: pages.KeptEnvironment, Action: "/app/produtos", Section: "/app/produtos",
			Fields: kept,
		})},
		{"kept of an account", pages.Kept(pages.KeptProps{
			AuthProps: frame, Reason: pages.KeptAccount, Account: "Padaria", Action: "/app/produtos", Fields: kept,
		})},
		{"code", account.Code(account.CodeProps{AuthProps: frame, Next: "/app", ByCode: true, ByKey: true})},
		{"code by passkey", account.Code(account.CodeProps{AuthProps: frame, Next: "/ops", ByKey: true})},
		{"code wrong", account.Code(account.CodeProps{
			AuthProps: frame, Next: "/app", ByCode: true, Errors: problem("code"),
		})},
		{"code of recovery", account.Code(account.CodeProps{
			AuthProps: frame, Next: "/app", ByCode: true, Recovery: true, Errors: problem("code"),
		})},
		{"totp", account.TOTP(account.TOTPProps{
			AuthProps: frame, Next: "/app", Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
			QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 41, Label: "QR"},
		})},
		{"totp of staff", account.TOTP(account.TOTPProps{
			AuthProps: frame, Next: "/ops", Secret: "GEZDGNBV", Need: pages.NeedStaff, ByKey: true,
			QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 41, Label: "QR"}, Errors: problem("code"),
		})},
		{"recovery codes", account.RecoveryCodes(account.RecoveryCodesProps{
			AuthProps: frame, Next: "/app", Codes: []string{recoveryCode, recoveryCode},
			Cause: account.RecoveryEnrolled,
		})},
		{"recovery codes of a passkey", account.RecoveryCodes(account.RecoveryCodesProps{
			AuthProps: frame, Next: "/app", Codes: []string{recoveryCode}, Cause: account.RecoveryPasskey,
		})},
		{"recovery codes of a password", account.RecoveryCodes(account.RecoveryCodesProps{
			AuthProps: frame, Next: "/app", Codes: []string{recoveryCode}, Cause: account.RecoveryPassword,
		})},
		{"code of recovery without a generator", account.Code(account.CodeProps{
			AuthProps: frame, Next: "/app", ByKey: true, Recovery: true, Errors: problem("code"),
		})},
		{"recovery codes anew", account.RecoveryCodes(account.RecoveryCodesProps{
			AuthProps: frame, Next: "/app", Codes: []string{recoveryCode},
		})},
	}
}

// teamPages show members and invitations.
func teamPages(frame layouts.AuthProps) []page {
	members := []dashboard.MemberRow{
		{
			ID: "usr_1", Name: "Ana Lima", Email: "ana@loja.test", Role: "OWNER", TOTP: true, JoinedAt: now,
			SeenAt: hence(-time.Minute), Self: true,
		},
		{ID: "usr_2", Name: "Bia", Email: "bia@loja.test", Role: "FINANCE", Passkey: true, JoinedAt: now},
	}
	invites := []dashboard.InviteRow{
		{ID: "inv_1", Email: "c@loja.test", Role: "VIEWER", SentAt: now, ExpiresAt: *hence(time.Hour)},
		{ID: "inv_2", Email: "d@loja.test", Role: "VIEWER", SentAt: now, ExpiresAt: *hence(-time.Hour), Expired: true},
	}
	var duties []dashboard.DutyRow
	for _, id := range []string{"see", "sell", "integrate", "money", "people", "own"} {
		duties = append(duties, dashboard.DutyRow{ID: id, May: []bool{true, true, false, false, id == "see"}})
	}
	return []page{
		{"team", dashboard.Team(dashboard.TeamProps{
			Shell: shell(true), CanManage: true, Members: members, Invites: invites, Duties: duties,
			Factor: &dashboard.FactorRule{Required: true, Owner: true, Without: 2},
		})},
		{"team alone", dashboard.Team(dashboard.TeamProps{
			Shell: shell(false), CanManage: true, Members: members[:1], Duties: duties,
			Factor: &dashboard.FactorRule{Without: 1},
		})},
		{"team seen", dashboard.Team(dashboard.TeamProps{
			Shell: shell(false), Members: members, Invites: invites, Duties: duties,
		})},
		{"invite form", dashboard.InviteForm(dashboard.InviteFormProps{
			Shell: shell(true), Roles: dashboard.Roles[1:], Role: "ADMIN", Errors: problem("email", "role"),
		})},
		{"owner", dashboard.Member(dashboard.MemberProps{Shell: shell(true), Member: members[0],
			Roles: dashboard.Roles[1:]})},
		{"member", dashboard.Member(dashboard.MemberProps{
			Shell: shell(true), Member: members[1], Roles: dashboard.Roles[1:], CanChange: true, CanRemove: true,
			CanHandOver: true,
		})},
		{"member leaves", dashboard.Member(dashboard.MemberProps{
			Shell: shell(true), Member: dashboard.MemberRow{ID: "usr_2", Name: "Bia", Role: "VIEWER", Self: true},
			CanRemove: true,
		})},
		{"accounts", account.Accounts(account.AccountsProps{
			Shell: shell(true),
			Accounts: []account.AccountRow{
				{ID: "acc_1", Name: "Ateliê", Role: "OWNER", Current: true},
				{ID: "acc_2", Name: "Padaria", Role: "VIEWER"},
			},
		})},
		{"invite new", account.Invite(account.InviteProps{
			AuthProps: frame, State: account.InviteNew, Token: "inv_1", Account: "Ateliê", Inviter: "Ana",
			Email: "b@loja.test", Role: "ADMIN", Errors: problem("name", "password"),
		})},
		{"invite known", account.Invite(account.InviteProps{
			AuthProps: frame, State: account.InviteKnown, Token: "inv_1", Account: "Ateliê", Role: "ADMIN",
		})},
		{"invite mine", account.Invite(account.InviteProps{
			AuthProps: frame, State: account.InviteMine, Token: "inv_1", Account: "Ateliê", Role: "ADMIN",
		})},
		{"invite others", account.Invite(account.InviteProps{
			AuthProps: frame, State: account.InviteOthers, Token: "inv_1", Account: "Ateliê", Role: "ADMIN",
			Visitor: "x@loja.test",
		})},
	}
}

// mailLinkPages are the pages that links in mails lead to.
func mailLinkPages(frame layouts.AuthProps) []page {
	return []page{
		{"forgot", account.Forgot(account.ForgotProps{AuthProps: frame, Email: "m@", Errors: problem("email")})},
		{"forgot sent", account.Forgot(account.ForgotProps{AuthProps: frame, Email: "m@loja.test", Sent: true})},
		{"reset", account.Reset(account.ResetProps{AuthProps: frame, Token: "tok_1", Errors: problem("password")})},
		{"verify", account.VerifyEmail(account.VerifyEmailProps{AuthProps: frame, Token: "tok_1",
			Email: "m@loja.test"})},
		{"unverified", account.UnverifiedEmail(account.UnverifiedEmailProps{
			AuthProps: frame, Email: "m@loja.test", Flash: &components.FlashProps{Text: "Enviado"},
		})},
		{"unverified wrong", account.UnverifiedEmail(account.UnverifiedEmailProps{
			AuthProps: frame, Email: "m@loja.test", Other: "m@", Errors: problem("email"),
		})},
		{"dead reset", account.DeadLink(account.DeadLinkProps{AuthProps: frame, Kind: account.DeadReset})},
		{"dead verification",
			account.DeadLink(account.DeadLinkProps{AuthProps: frame, Kind: account.DeadVerification})},
		{"new device", account.NewDevice(account.NewDeviceProps{AuthProps: frame, Token: "tok_1",
			Device: "Chrome · Windows", IP: "203.0.113.7", At: now})},
		{"new device unknown", account.NewDevice(account.NewDeviceProps{AuthProps: frame, Token: "tok_1",
			IP: "2001:db8::1", At: now})},
		{"dead device", account.DeadLink(account.DeadLinkProps{AuthProps: frame, Kind: account.DeadDevice})},
		{"dead invite", account.DeadLink(account.DeadLinkProps{AuthProps: frame, Kind: account.DeadInvite})},
		{"new email", account.NewEmail(account.NewEmailProps{
			AuthProps: frame, Current: "m@loja.test", Email: "m@", Errors: problem("email"),
		})},
		{"prove email", account.ProveEmail(account.ProveEmailProps{
			AuthProps: frame, Token: "tok_1", Email: "n@loja.test",
		})},
		{"dead email", account.DeadLink(account.DeadLinkProps{AuthProps: frame, Kind: account.DeadEmail})},
		{"taken email", account.DeadLink(account.DeadLinkProps{AuthProps: frame, Kind: account.DeadEmailTaken})},
	}
}

// sessionPages show how a person logs in, and where.
func sessionPages() []page {
	keys := passkeys()
	sessions := []account.SessionRow{
		{ID: "ses_1", Device: "Chrome · Windows", IP: "203.0.113.7", SeenAt: now, Current: true},
		{ID: "ses_2", IP: "2001:db8::1", SeenAt: *hence(-50 * time.Hour)},
	}
	logIns := []account.LogInRow{
		{At: now, Device: "Chrome · Windows", IP: "203.0.113.7", Way: "code", Result: "started", Entered: true},
		{At: now, IP: "2001:db8::1", Way: "password", Result: "awaits_code"},
		{At: now, Device: "Safari · iPhone", IP: "203.0.113.7", Way: "passkey", Result: "failed"},
		{At: now, Count: "57", Result: "many_failed"},
	}
	return []page{
		{"security new email", account.Security(account.SecurityProps{
			SecurityFrame: account.SecurityFrame{Shell: shell(true)}, EmailVerified: true,
			NewEmail: &account.EmailChange{Email: "n@loja.test", Until: now}, Sessions: sessions,
		})},
		{"security of staff", account.Security(account.SecurityProps{
			SecurityFrame: account.SecurityFrame{Shell: shell(false)}, EmailVerified: true, FixedEmail: true,
			Sessions: sessions, LogIns: logIns,
		})},
		{"security", account.Security(account.SecurityProps{
			SecurityFrame: account.SecurityFrame{Shell: shell(true), Base: "/app/configuracoes/seguranca"},
			HasPasskeys:   true, MorePasskeys: true, Passkeys: keys, EmailVerified: true, TOTP: true, RecoveryLeft: 10,
			Sessions: sessions, LogIns: logIns,
		})},
		{"security bare", account.Security(account.SecurityProps{
			SecurityFrame: account.SecurityFrame{Shell: shell(false)}, HasPasskeys: true, MorePasskeys: true,
			Sessions: sessions[:1], Errors: problem("current", "password"),
		})},
		{"security few codes", account.Security(account.SecurityProps{
			SecurityFrame: account.SecurityFrame{Shell: shell(false)}, HasPasskeys: true, Passkeys: keys, TOTP: true,
			RecoveryLeft: 1, Sessions: sessions,
		})},
	}
}

func passkeys() []account.PasskeyRow {
	return []account.PasskeyRow{
		{ID: "pky_1", Name: "iPhone", CreatedAt: now, UsedAt: hence(-time.Hour)},
		{ID: "pky_2", Name: "Chave USB", CreatedAt: now},
	}
}

func passkeyPages(frame layouts.AuthProps) []page {
	keys := passkeys()
	return []page{
		{"passkey", account.Passkey(account.PasskeyProps{
			SecurityFrame: account.SecurityFrame{Shell: shell(true), Base: "/app/configuracoes/seguranca"},
			Passkey:       keys[0], Name: "iPhone",
		})},
		{"passkey wrong", account.Passkey(account.PasskeyProps{
			SecurityFrame: account.SecurityFrame{Shell: shell(false), Base: "/ops/seguranca"}, Passkey: keys[1],
			Errors: problem("passkey_name"),
		})},
		{"passkey new", account.NewPasskey(account.NewPasskeyProps{AuthProps: frame, Next: "/app", Name: "iPhone"})},
		{"passkey new of staff", account.NewPasskey(account.NewPasskeyProps{
			AuthProps: frame, Next: "/ops", Need: pages.NeedStaff, Errors: problem("passkey_name"),
		})},
	}
}
