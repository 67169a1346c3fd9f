package chatops

import (
	"fmt"
	"strings"
)

// suggest says which command the words were probably meant to be.
func (s *Set) suggest(words []word) string {
	said := make([]string, len(words))
	for i, w := range words {
		said[i] = asciiFold(w.text)
	}
	best, least := Command{}, 1<<30
	for _, c := range s.commands {
		names := strings.Fields(c.Name)
		cost := 0
		for i, n := range names {
			given := ""
			if i < len(said) {
				given = said[i]
			}
			d := distance(given, n)
			if i > 0 && d > limit(n) {
				d = 1 // the second word was left out, as in "restart shop/payments"
			} else if d > limit(n) {
				d = 1000
			}
			cost += d
		}
		if cost < least {
			best, least = c, cost
		}
	}
	const hint = "Say `help` for what there is."
	if least >= 1000 {
		return fmt.Sprintf("I don't know %s. %s", Quote(words[0].text), hint)
	}
	return fmt.Sprintf("I don't know %s. Did you mean `%s`?\n%s", Quote(words[0].text), usage(best), hint)
}

// limit is how many slips a word may have and still be meant.
func limit(name string) int { return max(1, len(name)/3) }

// distance counts the slips between two words: a letter more, less, wrong, or two
// letters swapped. Words that are far too long are not measured.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 40 || len(y) > 40 {
		return max(len(x), len(y))
	}
	var before []int
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		next := make([]int, len(y)+1)
		next[0] = i + 1
		for j := range y {
			change := 1
			if x[i] == y[j] {
				change = 0
			}
			next[j+1] = min(row[j]+change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(y)]
}
