// Median and quantiles.

export function median(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** The quantile: this share of the numbers is not larger. */
export function at(share, numbers) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
