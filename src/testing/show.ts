/** The time of a date, or `undefined` for other values. Dates of other realms count, too. */
export function timeOf(value: unknown): number | undefined {
  return Object.prototype.toString.call(value) === '[object Date]' ? Date.prototype.getTime.call(value) : undefined
}

/** A value as a message shows it. */
export function show(value: unknown, longest = 300): string {
  const text = inspect(value)
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}… (${text.length} characters)` : text
}

/** A value as text, in full, three levels deep. */
export function inspect(value: unknown, depth = 3): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return `function ${value.name || '(anonymous)'}`
  if (typeof value !== 'object' || value === null) return String(value)
  const time = timeOf(value)
  if (time !== undefined) return Number.isNaN(time) ? 'Invalid Date' : new Date(time).toISOString()
  if (value instanceof Error) return `${value.name}: ${value.message}`
  if (depth === 0) return '…'
  if (Array.isArray(value)) return `[${value.map((item) => inspect(item, depth - 1)).join(', ')}]`
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${inspect(field, depth - 1)}`)
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}
