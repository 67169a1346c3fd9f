package main

import "math"

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// percentile of sorted values, by the nearest rank.
func percentile(sorted []float64, q float64) float64 {
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}

// interval is the 95 % confidence interval of the mean, by Student's t.
func interval(xs []float64) [2]float64 {
	n := len(xs)
	m := mean(xs)
	if n < 2 {
		return [2]float64{m, m}
	}
	sum := 0.0
	for _, x := range xs {
		sum += (x - m) * (x - m)
	}
	half := student(n-1) * math.Sqrt(sum/float64(n-1)/float64(n))
	return [2]float64{m - half, m + half}
}

// student is the two-sided 95 % quantile of the t distribution.
func student(freedom int) float64 {
	table := []float64{
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
		2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	return 1.96 + 2.4/float64(freedom) // within 0.001 beyond thirty
}
