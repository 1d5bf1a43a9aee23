package api

import (
	"encoding/json"
	"time"

	"garoupa/api/openapi"
	"garoupa/internal/payload"
	"garoupa/models"
)

const (
	tagAudit         = "Audit log"
	exampleAuditType = "api_key.events_changed"
)

func exampleAuditLine() json.RawMessage {
	return payload.AppendAuditLine(nil, &models.AuditLine{ID: 48213, AuditEntry: models.AuditEntry{
		At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Actor: "usr_5d0c7b1e9a3f2846c1d0",
		Action: exampleAuditType, ObjectID: "key_7f1a9c3e5b2d8064f1a9", After: map[string]string{"events": "true"},
		IP: "203.0.113.7", RequestID: exampleRequestID,
	}, ActorName: "Carla Menezes", ActorRole: string(models.RoleOwner)})
}

func auditLineSchema() *openapi.Schema {
	facts := func(description string) *openapi.Schema {
		return &openapi.Schema{Type: openapi.Types{"object"}, Description: description,
			AdditionalProperties: openapi.Text("")}
	}
	return openapi.Answer("What happened in the account, and who did it.",
		openapi.Property("id", openapi.Pattern(`^[1-9][0-9]*$`, "The line's id. It never changes.")),
		openapi.Property("type", openapi.Pattern(`^[a-z_]+\.[a-z_]+$`,
			"What was done, and to what. New types may come.")),
		openapi.Property("createdAt", instant("When it happened.")),
		openapi.Property("actor", openapi.Answer("Who did it.",
			openapi.Property("id", openapi.Bounded("A member's or an API key's id; `system` for the service itself, "+
				"`staff` for people who work for it.", 1, 64)),
			openapi.Property("name", openapi.Nullable(openapi.Text("The member's name; null for others."))),
			openapi.Property("role", openapi.Nullable(openapi.Text("The member's role then; null for others."))))),
		openapi.Property("objectId", openapi.Nullable(openapi.Text("What it was done to; null for the account."))),
		openapi.Property("before", facts("Facts before the change, by name.")),
		openapi.Property("after", facts("The same facts afterwards.")),
		openapi.Property("detail", facts("Other facts.")),
		openapi.Property("ip",
			openapi.Nullable(openapi.Text("From which address; null if unknown or not yours to know."))),
		openapi.Property("requestId", openapi.Nullable(openapi.Text("The Request-Id; null if there was none."))))
}

func listAuditOperation() *openapi.Operation {
	return &openapi.Operation{
		OperationID: "listAudit", Tags: []string{tagAudit}, Summary: "List lines of the audit log", Security: anyKey,
		Description: "What members, keys and staff did in the account, newest first. Lines belong to the account and " +
			"to no environment, so only live keys may read them. No permission covers the audit log; the account's " +
			"owner allows the key in the dashboard.",
		Parameters: append([]openapi.Parameter{
			{Name: "type", In: "query", Description: "Only lines of this type.",
				Schema: openapi.Pattern(auditType.String(), ""), Example: exampleAuditType},
			momentParameter("createdFrom", "Only lines of this time or later."),
			momentParameter("createdTo", "Only lines of before this time."),
		}, pageParameters()...),
		Responses: withErrors(found("A page of lines.", "AuditList", "page", page(exampleAuditLine())), everyCall),
	}
}
