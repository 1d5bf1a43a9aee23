package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

func requestPage(id int64) string { return "/app/requisicoes/" + strconv.FormatInt(id, 10) }

// listRequests shows GET /app/requisicoes.
func (s *developers) listRequests(c *fiber.Ctx) error {
	filter := pages.RequestFilter{
		Text: searched(c.Query("q")), Class: c.Query("class"), Method: c.Query("method"), Key: c.Query("key"),
	}
	if !slices.Contains(pages.RequestClasses, filter.Class) {
		filter.Class = ""
	}
	if !slices.Contains(pages.RequestMethods, filter.Method) {
		filter.Method = ""
	}
	keys, err := models.APIKeys(c.UserContext(), s.DB.Pool, page.Scope(c))
	if err != nil {
		return fmt.Errorf("dashboard: list keys: %w", err)
	}
	meant := models.APIRequestFilter{Method: filter.Method, Limit: page.ListSize(c)}
	meant.Class, _ = strconv.Atoi(strings.TrimSuffix(filter.Class, "xx")) // zero without the filter
	switch {
	case strings.HasPrefix(filter.Text, "/"):
		meant.PathPrefix = filter.Text
	case models.IsAPIObject(filter.Text):
		meant.ObjectID = filter.Text
	default:
		meant.RequestID = filter.Text
	}
	props := pages.RequestsProps{}
	for _, k := range keys {
		props.Keys = append(props.Keys, pages.RequestKey{ID: k.ID, Name: k.Name, Last4: k.Last4})
		if k.ID == filter.Key {
			meant.KeyID = k.ID
		}
	}
	filter.Key = meant.KeyID // only if the key exists
	props.Filter = filter
	after := s.Position(c, payments.ListAPIRequests)
	meant.Before = after.Number()
	calls, err := models.APIRequests(c.UserContext(), s.DB.Read, page.Scope(c), meant)
	if err != nil {
		return fmt.Errorf("dashboard: list calls of the API: %w", err)
	}
	for _, call := range calls.Rows {
		props.Requests = append(props.Requests, requestRow(&call))
	}
	props.Pager = s.Pager(c, payments.ListAPIRequests, "/app/requisicoes", props.Filter.Query(), after, calls.Next)
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Requests(props))
}

func requestRow(call *models.APIRequest) pages.RequestRow {
	return pages.RequestRow{
		Href: requestPage(call.ID), RequestID: call.RequestID, At: call.At, Method: call.Method, Path: call.Path,
		Status:   call.Status,
		Duration: call.Duration, KeyID: call.KeyID, KeyName: call.KeyName, KeyLast4: call.KeyLast4,
		ErrorCode: call.ErrorCode,
	}
}

// readRequest shows GET /app/requisicoes/:id.
func (s *developers) readRequest(c *fiber.Ctx) error {
	id, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil {
		return fmt.Errorf("dashboard: read call: %w", models.ErrNotFound)
	}
	call, err := models.APIRequestByID(c.UserContext(), s.DB.Pool, page.Scope(c), id)
	if err != nil {
		return fmt.Errorf("dashboard: read call: %w", err)
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.RequestProps{Shell: shell, RequestRow: requestRow(call), Request: indented(call.Request),
		Answer: indented(call.Answer)}
	props.Object, props.ObjectHref = objectPage(page.Visitor(c), call)
	return page.Render(c, pages.Request(props))
}

// objectPage returns the object of a call and its page, or "" if the visitor cannot see it.
func objectPage(v *models.Visitor, call *models.APIRequest) (object, href string) {
	if call.Status == fiber.StatusNotFound {
		return "", ""
	}
	switch kind, _, _ := strings.Cut(call.ObjectID, "_"); kind {
	case "chk":
		return pages.ObjectCheckout, "/app/cobrancas/" + call.ObjectID
	case "plink":
		return pages.ObjectLink, "/app/links/" + call.ObjectID
	case "wdr":
		if v.Role.Can(models.MoveMoney) {
			return pages.ObjectWithdrawal, "/app/saques/" + call.ObjectID
		}
	}
	return "", ""
}

// indented returns JSON over several lines. Incomplete JSON stays unchanged.
func indented(body string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(body), "", "  ") != nil {
		return body
	}
	return out.String()
}
