package models

import (
	"context"
	"regexp"
	"strconv"
	"strings"
)

// terms returns the words of a text that are searched for.
func terms(text string) (long []string) {
	for _, term := range strings.Fields(text) {
		if len([]rune(term)) >= minPrefix && len(long) < maxTerms {
			long = append(long, term)
		}
	}
	return long
}

// words returns the condition that finds checkouts with words that begin with those of the text, by the index of
// words, or "" if very many do: hasWords finds the latest of these.
func (q *checkoutQuery) words(ctx context.Context, db Querier, scope Scope, text string) (way string, err error) {
	all := terms(text)
	if len(all) == 0 {
		return "", nil
	}
	within := func(first int) string {
		var each []string
		for i := range all {
			each = append(each, "search_query($1, $2, $"+strconv.Itoa(first+i)+")")
		}
		return "SELECT checkout_id FROM checkout_words WHERE words @@ (" + strings.Join(each, " && ") + ") LIMIT " +
			strconv.Itoa(fewMatches)
	}
	args := []any{scope.ProjectID, scope.Environment}
	for _, term := range all {
		args = append(args, term)
	}
	var found int
	err = db.QueryRow(ctx, "SELECT count(*) FROM ("+within(3)+") few", args...).Scan(&found)
	if err != nil || found == fewMatches {
		return "", err
	}
	first := len(q.args) + 1
	for _, term := range all {
		q.arg(term)
	}
	return "c.id IN (" + within(first) + ")", nil
}

// hasWords returns the condition that words of the customer's name or the external id of a checkout c begin with
// the terms, or "" without terms.
func (q *checkoutQuery) hasWords(terms []string) string {
	return q.haveWords("folded(coalesce(c.customer_name, '') || ' ' || c.external_id)", terms)
}

// haveWords is hasWords for a folded text. A part of a word that follows a punctuation mark counts as one.
func (q *checkoutQuery) haveWords(text string, terms []string) string {
	var each []string
	for _, term := range terms {
		// strpos is much cheaper and refuses most.
		each = append(each, "strpos("+text+", folded("+q.arg(term)+"::text)) > 0 AND "+text+" ~ folded("+
			q.arg("(^|[\\s!-/:-@\\[-`{-~])"+regexp.QuoteMeta(term))+"::text)")
	}
	return strings.Join(each, " AND ")
}
