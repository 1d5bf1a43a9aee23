package web

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"garoupa/requestid"
	"garoupa/views/i18n"
)

// fileBatch is how many lines of a file are read and written together.
const fileBatch = 500

// sendFile answers with a CSV file that write writes while it is sent. It begins at
// once and takes the same memory for any number of lines. A file that breaks off
// ends in an error of the connection, so that no browser takes it for whole.
func sendFile(c *fiber.Ctx, name string, write func(ctx context.Context, to io.Writer) error) error {
	c.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	c.Set("X-Accel-Buffering", "no")
	// The file outlives the handler, so it has nothing of c.
	ctx := requestid.With(i18n.With(context.Background(), i18n.Of(c.UserContext())), requestid.Of(c.UserContext()))
	reader, writer := io.Pipe() // closed from the other end when the browser leaves
	go func() {
		defer func() { // a panic here is outside of every middleware and would end the process
			if r := recover(); r != nil {
				slog.ErrorContext(ctx, "file failed", "panic", r)
				writer.CloseWithError(io.ErrUnexpectedEOF)
			}
		}()
		err := write(ctx, writer)
		if err != nil && err != io.ErrClosedPipe {
			slog.ErrorContext(ctx, "file failed", "err", err)
		}
		writer.CloseWithError(err)
	}()
	c.Context().SetBodyStream(reader, -1)
	return nil
}

// cell is a text that others wrote, as a cell of a spreadsheet. One that a
// spreadsheet would run as a formula gets an apostrophe before it, which makes it a
// text (OWASP, CSV injection). Amounts are ours, and stay numbers.
func cell(text string) string {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(text))
	if strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + text
	}
	return text
}
