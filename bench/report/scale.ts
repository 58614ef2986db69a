/** Maps a value to a position between 0 and 1, and lists the values that the axis shows. */
export interface Scale {
  place(value: number): number
  ticks: number[]
}

/** A scale from zero to a round number above the highest value. */
export function linear(highest: number): Scale {
  const rough = highest / 4 || 1
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(highest / step) || 1
  return { place: (value) => value / (count * step), ticks: Array.from({ length: count + 1 }, (_, index) => index * step) }
}

/** A scale between powers of ten, for values of different magnitudes. */
export function logarithmic(lowest: number, highest: number): Scale {
  const from = Math.floor(Math.log10(lowest))
  const to = Math.max(Math.ceil(Math.log10(highest)), from + 1)
  return {
    place: (value) => (Math.log10(value) - from) / (to - from),
    ticks: Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index)),
  }
}

/** A number with one decimal place below 10, two below 1, and separators for thousands. */
export function readable(value: number): string {
  const digits = value < 10 ? 1 : 0
  return value.toLocaleString('en', { maximumFractionDigits: value < 1 ? 2 : digits })
}

/** A short number for an axis: 10k, 1M. */
export function short(value: number): string {
  if (value >= 1_000_000) return `${readable(value / 1_000_000)}M`
  return value >= 10_000 ? `${readable(value / 1_000)}k` : readable(value)
}
