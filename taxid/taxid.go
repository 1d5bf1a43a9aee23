// Package taxid reads the numbers under which Brazil taxes people (CPF) and
// companies (CNPJ), and checks their check digits. Whether a number was ever given
// to somebody only the Receita Federal knows.
package taxid

import "strings"

// Lengths of the numbers, without punctuation.
const (
	CPFLength  = 11
	CNPJLength = 14
)

// Parse returns text as a CPF or a CNPJ without punctuation, told apart by their
// lengths, and whether its check digits are right.
func Parse(text string) (number string, ok bool) {
	if number, ok = ParseCPF(text); ok {
		return number, true
	}
	return ParseCNPJ(text)
}

// ParseCPF returns text as the 11 digits of a CPF, and whether its check digits
// are right. Dots, hyphens, slashes and spaces in text do not matter. Eleven equal
// digits, whose check digits would be right, are no CPF.
func ParseCPF(text string) (number string, ok bool) {
	number = bare(text)
	if len(number) != CPFLength || strings.Trim(number, "0123456789") != "" || allEqual(number) {
		return "", false
	}
	return number, checks(number, 10) // the weights of a CPF never start over
}

// ParseCNPJ returns text as the 14 characters of a CNPJ, and whether its check
// digits are right. Since July 2026 the first twelve may be letters, too (Receita
// Federal, IN 2229/2024); small ones become capitals.
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

// Format writes a number as people do: 529.982.247-25, 12.ABC.345/01DE-35. What is
// neither a CPF nor a CNPJ by its length comes back as it is.
func Format(number string) string {
	switch len(number) {
	case CPFLength:
		return number[:3] + "." + number[3:6] + "." + number[6:9] + "-" + number[9:]
	case CNPJLength:
		return number[:2] + "." + number[2:5] + "." + number[5:8] + "/" + number[8:12] + "-" + number[12:]
	}
	return number
}

// bare removes punctuation and makes ASCII letters capital. Other letters stay and
// are refused: what merely looks like a number is none.
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

// checks reports whether the last two characters are the check digits of those
// before. From the right, weights run from 2 up; after cycle of them they start
// over. A character counts as its ASCII code less 48.
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
