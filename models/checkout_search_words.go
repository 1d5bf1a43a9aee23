package models

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
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
// words. It is "" if those that are looked through without the index fill the page: the index would read all.
func (q *checkoutQuery) words(ctx context.Context, db Reader, scope Scope, s CheckoutSearch) (way string, err error) {
	all := terms(s.Text)
	if len(all) == 0 {
		return "", nil
	}
	frequent, err := areFrequent(ctx, db, scope, s, all)
	if err != nil || frequent {
		return "", err
	}
	var each []string
	args := []any{scope.ProjectID, scope.Environment, fewMatches}
	for _, term := range all {
		args = append(args, term)
		each = append(each, "search_query($1, $2, $"+strconv.Itoa(len(args))+")")
	}
	// The limit is outside: it would make a scan of the whole table look cheap, which it is not for a rare word.
	ids, err := texts(ctx, db, `WITH found AS MATERIALIZED (
			SELECT checkout_id FROM checkout_words WHERE words @@ (SELECT `+strings.Join(each, " && ")+`)
		) SELECT checkout_id FROM found LIMIT $3`, args...)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return "c.id = ANY(" + q.arg(ids) + ")", nil
}

// areFrequent reports whether s.Limit checkouts of the search have the words among LookedThrough, the latest.
func areFrequent(ctx context.Context, db Reader, scope Scope, s CheckoutSearch, words []string) (frequent bool,
	err error) {
	query := &checkoutQuery{where{args: []any{scope.ProjectID, scope.Environment, s.Limit}}}
	period, status := query.period(s), query.status(s)
	err = db.QueryRow(ctx, `SELECT count(*) = $3 FROM (SELECT FROM (SELECT c.customer_name, c.external_id, c.status
			FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2`+period+`
			ORDER BY c.created_at DESC, c.id DESC LIMIT `+strconv.Itoa(LookedThrough)+`) c
		WHERE `+query.hasWords(words)+status+" LIMIT $3) few", query.args...).Scan(&frequent)
	return frequent, err
}

// hasWords returns the condition that words of the customer's name or the external id of a checkout c begin with
// the terms, or "" without terms.
func (q *checkoutQuery) hasWords(terms []string) string {
	return q.haveWords("(coalesce(c.customer_name, '') || ' ' || c.external_id)", terms)
}

// haveWords is hasWords for an expression of a text. A part of a word that follows a punctuation mark counts as one.
func (q *checkoutQuery) haveWords(text string, terms []string) string {
	var each []string
	for _, term := range terms {
		each = append(each, text+" ~* "+q.arg("(^|[\\s!-/:-@\\[-`{-~])"+withoutAccents(term)))
	}
	return strings.Join(each, " AND ")
}

// accents are the letters that count as one, the one without an accent first, as in the function folded of the
// database.
var accents = []string{"aáàâãä", "eéèêë", "iíìîï", "oóòôõö", "uúùûü", "cç", "nñ"}

// withoutAccents returns a regular expression that matches a text and those that differ from it in accents. To match
// it costs a quarter of what it costs to fold each text.
func withoutAccents(text string) string {
	var expression strings.Builder
	for _, letter := range text {
		lower := string(unicode.ToLower(letter))
		i := slices.IndexFunc(accents, func(same string) bool { return strings.Contains(same, lower) })
		if i < 0 {
			expression.WriteString(regexp.QuoteMeta(string(letter)))
		} else {
			expression.WriteString("[" + accents[i] + "]")
		}
	}
	return expression.String()
}
