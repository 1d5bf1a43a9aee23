// Package taxid parses the tax numbers of Brazilian people (CPF) and companies (CNPJ), and
// verifies their check digits. Only the Receita Federal knows whether a number was ever
// assigned.
package taxid

import "strings"

// Lengths of the numbers, without punctuation.
const (
	CPFLength  = 11
	CNPJLength = 14
)

// Parse returns text as a CPF or a CNPJ without punctuation, distinguished by length, and
// whether its check digits are right.
func Parse(text string) (number string, ok bool) {
	if number, ok = ParseCPF(text); ok {
		return number, true
	}
	return ParseCNPJ(text)
}

// ParseCPF returns text as the 11 digits of a CPF, and whether its check digits are right.
// It ignores dots, hyphens, slashes and spaces. It refuses eleven equal digits, although
// their check digits would be right.
func ParseCPF(text string) (number string, ok bool) {
	number = bare(text)
	if len(number) != CPFLength || strings.Trim(number, "0123456789") != "" || allEqual(number) {
		return "", false
	}
	return number, checks(number, 10) // the weights of a CPF never start over
}

// ParseCNPJ returns text as the 14 characters of a CNPJ, and whether its check digits are
// right. Since July 2026 the first twelve may include letters (Receita Federal, IN
// 2229/2024); ParseCNPJ makes them upper case.
func ParseCNPJ(text string) (number string, ok bool) {
	number = bare(text)
	if len(number) != CNPJLength || allEqual(number) {
		return "", false
	}
	for i := range len(number) {
		digit := '0' <= number[i] && number[i] <= '9'
		letter := 'A' <= number[i] && number[i] <= 'Z' && i < CNPJLength-2
		if !digit && !letter {
			return "", false
		}
	}
	return number, checks(number, 8)
}

// Format returns a number with its usual punctuation: 529.982.247-25, 12.ABC.345/01DE-35.
// It returns a text of another length unchanged.
func Format(number string) string {
	switch len(number) {
	case CPFLength:
		return number[:3] + "." + number[3:6] + "." + number[6:9] + "-" + number[9:]
	case CNPJLength:
		return number[:2] + "." + number[2:5] + "." + number[5:8] + "/" + number[8:12] + "-" + number[12:]
	}
	return number
}

// bare removes punctuation and converts ASCII letters to upper case. Other letters stay,
// and are refused later.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(".-/ ", r):
			return -1
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		}
		return r
	}, text)
}

func allEqual(number string) bool { return strings.Count(number, number[:1]) == len(number) }

// checks reports whether the last two characters are the check digits of those before. From
// the right, weights run from 2 up; after cycle of them they start over. A character counts
// as its ASCII code less 48.
func checks(number string, cycle int) bool {
	for end := len(number) - 2; end < len(number); end++ {
		sum := 0
		for i := range end {
			sum += int(number[i]-'0') * (2 + (end-1-i)%cycle)
		}
		digit := 0
		if rest := sum % 11; rest >= 2 {
			digit = 11 - rest
		}
		if int(number[end]-'0') != digit {
			return false
		}
	}
	return true
}
