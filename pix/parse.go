package pix

import "strings"

// Parse reads a code that keeps every rule, and Encode can write what Parse accepts. Use it to
// check codes of one's own. It skips fields that Code does not have: accounts of other
// schemes, the cash facilitator of Pix Saque (26.03), unreserved templates. The error names
// the tag and the rule, never a value.
func Parse(text string) (Code, error) {
	var r reading
	if err := r.read(text); err != nil {
		return Code{}, err
	}
	if err := r.checkStrict(); err != nil {
		return Code{}, err
	}
	c := r.code()
	if err := c.check(); err != nil {
		return Code{}, err
	}
	return c, nil
}

// ParseLenient reads a code as published in practice. Structure, checksum, scheme, country and
// currency must be right. It accepts what copying adds (line breaks, tabs and no-break spaces
// anywhere, spaces around), a checksum in lower case, accents and other non-ASCII text, names,
// postal codes and TxIDs of the wrong length or alphabet, a merchant category, amounts such as
// 10, 10. and 0.9, zero for an open amount, and a location with a scheme (which is cut off) or
// without a path. It returns values as they are in the code: do not trust them.
func ParseLenient(text string) (Code, error) {
	var r reading
	if err := r.read(clean(text)); err != nil {
		return Code{}, err
	}
	c := r.code()
	if err := c.checkKind(); err != nil {
		return Code{}, err
	}
	c.Location, c.Recurrence = withoutScheme(c.Location), withoutScheme(c.Recurrence)
	return c, nil
}

// clean removes what copying and pasting adds to a code. Spaces inside the text belong to the
// code.
func clean(text string) string {
	return strings.Trim(pasted.Replace(text), " ")
}

var pasted = strings.NewReplacer("\r", "", "\n", "", "\t", "", "\u00a0", "")

func withoutScheme(location string) string {
	for _, scheme := range [...]string{"https://", "http://"} {
		if len(location) > len(scheme) && strings.EqualFold(location[:len(scheme)], scheme) {
			return location[len(scheme):]
		}
	}
	return location
}
