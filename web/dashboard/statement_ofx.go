package dashboard

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"garoupa/models"
	"garoupa/views/i18n"
)

// ofxMemo is how many characters a memo has at most in OFX 1.0.2. An account's number has 22.
const ofxMemo = 255

// ofxHead begins a file as banks in Brazil write it: OFX 1.0.2 in SGML. All leaves are closed, so that
// readers of XML understand it, too.
const ofxHead = "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\n" +
	"CHARSET:1252\r\nCOMPRESSION:NONE\r\nOLDFILEUID:NONE\r\nNEWFILEUID:NONE\r\n\r\n" +
	"<OFX>\r\n<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>" +
	"<DTSERVER>%s</DTSERVER><LANGUAGE>%s</LANGUAGE></SONRS></SIGNONMSGSRSV1>\r\n" +
	"<BANKMSGSRSV1><STMTTRNRS><TRNUID>0</TRNUID><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>\r\n" +
	"<STMTRS><CURDEF>BRL</CURDEF><BANKACCTFROM><BANKID>000</BANKID><ACCTID>%s</ACCTID>" +
	"<ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>\r\n" +
	"<BANKTRANLIST><DTSTART>%s</DTSTART><DTEND>%s</DTEND>\r\n"

const ofxLine = "<STMTTRN><TRNTYPE>%s</TRNTYPE><DTPOSTED>%s</DTPOSTED><TRNAMT>%s</TRNAMT><FITID>%d</FITID>" +
	"<REFNUM>%s</REFNUM><MEMO>%s</MEMO></STMTTRN>\r\n"

const ofxFoot = "</BANKTRANLIST>\r\n<LEDGERBAL><BALAMT>%s</BALAMT><DTASOF>%s</DTASOF></LEDGERBAL>" +
	"<AVAILBAL><BALAMT>%s</BALAMT><DTASOF>%s</DTASOF></AVAILBAL>\r\n" +
	"</STMTRS></STMTTRNRS></BANKMSGSRSV1>\r\n</OFX>\r\n"

// writeOFX writes the movements that change the account's total, as they are read, and the balance at
// the end of the period. The id of a transaction is that of the ledger's line, so that a program knows
// a line again that it has read before.
func (f statementFile) writeOFX(ctx context.Context, to io.Writer) error {
	until := f.now
	if !f.filter.Until.IsZero() && f.filter.Until.Before(until) {
		until = f.filter.Until.Add(-time.Second)
	}
	last, err := f.last(ctx)
	if err != nil {
		return err
	}
	from := f.filter.From
	if from.IsZero() {
		from = f.since
	}
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, ofxHead, ofxTime(f.now), i18n.T(ctx, "balance.ofx_language"),
		ofxAccountID(f.accountID, f.environment), ofxTime(from), ofxTime(until))
	err = f.read(ctx, func(m models.Movement, charge models.CheckoutReference) error {
		if slices.Contains(internal, m.Kind) {
			return nil
		}
		about := cmp.Or(charge.ExternalID, m.LinkedID)
		words := []string{i18n.T(ctx, "balance.movement_"+string(m.Kind)), about, charge.Description}
		memo := strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " - ")
		_, err := fmt.Fprintf(w, ofxLine, ofxType(m), ofxTime(m.At), m.Amount.Decimal(), m.ID, m.LinkedID,
			ofxText(memo, ofxMemo))
		return err
	}, w.Flush)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, ofxFoot, last.Total.Decimal(), ofxTime(until), last.Available.Decimal(), ofxTime(until))
	return w.Flush()
}

// last returns the last line of the period, whatever its kind; its zero means that there is none.
func (f statementFile) last(ctx context.Context) (last models.Movement, err error) {
	lines, err := models.Statement(ctx, f.db.Read, f.accountID, f.environment,
		models.StatementFilter{Until: f.filter.Until, Limit: 1})
	if err != nil {
		return last, fmt.Errorf("dashboard: read the end of a statement: %w", err)
	}
	for _, m := range lines {
		last = m
	}
	return last, nil
}

// ofxType returns the type of a transaction.
func ofxType(m models.Movement) string {
	switch {
	case m.Kind == models.MovementFee || m.Kind == models.MovementWithdrawalFee:
		return "FEE"
	case m.Amount < 0:
		return "DEBIT"
	}
	return "CREDIT"
}

// ofxTime returns a moment in Brasília time, as OFX writes it.
func ofxTime(at time.Time) string { return i18n.Brasilia(at).Format("20060102150405") + "[-3:BRT]" }

// ofxAccountID returns the account's number in OFX, which tells test from live.
func ofxAccountID(accountID string, environment models.Environment) string {
	id := strings.TrimPrefix(accountID, "acc_")
	if environment == models.Test {
		id = "T-" + id
	}
	return id
}

// ofxText returns text in ASCII, because programs disagree about the set of characters, with at most
// limit characters and no marks of SGML.
func ofxText(text string, limit int) string {
	var plain strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch {
		case plain.Len() == limit:
			return ofxEscapes.Replace(plain.String())
		case unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			plain.WriteByte(' ')
		case r < ' ' || r >= utf8.RuneSelf || r == 0x7f:
			plain.WriteByte('?')
		default:
			plain.WriteRune(r)
		}
	}
	return ofxEscapes.Replace(plain.String())
}

var ofxEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
