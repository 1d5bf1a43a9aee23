package payload

import (
	"maps"
	"slices"
	"strconv"

	"garoupa/models"
)

// AppendAuditLine appends a line of the audit log as its merchant may know it.
func AppendAuditLine(dst []byte, l *models.AuditLine) []byte {
	dst = append(dst, '{')
	dst = stringMember(dst, "id", strconv.FormatInt(l.ID, 10))
	dst = stringMember(dst, "type", l.Action)
	dst = timeMember(dst, "createdAt", l.At)
	dst = append(member(dst, "actor"), '{')
	dst = stringMember(dst, "id", l.Actor)
	dst = nullableMember(dst, "name", orNull(l.ActorName))
	dst = nullableMember(dst, "role", orNull(l.ActorRole))
	dst = append(dst, '}')
	dst = nullableMember(dst, "objectId", orNull(l.ObjectID))
	dst = factsMember(dst, "before", l.Before)
	dst = factsMember(dst, "after", l.After)
	dst = factsMember(dst, "detail", l.Detail)
	dst = nullableMember(dst, "ip", orNull(l.IP))
	dst = nullableMember(dst, "requestId", orNull(l.RequestID))
	return append(dst, '}')
}

func factsMember(dst []byte, name string, facts map[string]string) []byte {
	dst = append(member(dst, name), '{')
	for i, fact := range slices.Sorted(maps.Keys(facts)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(append(AppendString(dst, fact), ':'), facts[fact])
	}
	return append(dst, '}')
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
