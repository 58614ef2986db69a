import type { Column } from 'drizzle-orm'

/** Whether this is a valid date, of this realm or another. */
export function isDate(value: unknown): value is Date {
  return (
    typeof value === 'object' && Object.prototype.toString.call(value) === '[object Date]' && Number.isFinite((value as Date).getTime())
  )
}

// As PostgreSQL writes dates in the style ISO, and MySQL in any setting: `2026-11-17 10:21:34.123+00`.
const isoDate = /^(\d{4,6})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(?:(Z)|([+-])(\d\d)(?::?(\d\d)(?::(\d\d))?)?)?$/

/** The date that a driver returned. `undefined` if it is in another form: a guess could be another day. */
export function decodeDate(raw: unknown, column: Column): Date | undefined {
  if (isDate(raw)) return new Date(raw.getTime())
  // SQLite's columns count seconds or milliseconds. Drivers may return a bigint or text.
  const { mode } = column as { mode?: string }
  if (mode?.startsWith('timestamp')) {
    const count = typeof raw === 'number' || /^-?\d+$/.test(String(raw)) ? Number(raw) : undefined
    return Number.isSafeInteger(count) ? new Date((count as number) * (mode === 'timestamp' ? 1_000 : 1)) : undefined
  }
  const parts = typeof raw === 'string' ? isoDate.exec(raw) : null
  if (!parts) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    ...number[],
  ]
  const milliseconds = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour ?? 0, minute, second, milliseconds)
  // MySQL's zero date, and 31 February, are days of another month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const [hours, minutes, seconds] = parts.slice(10, 13).map((part) => Number(part ?? 0)) as [number, number, number]
  const offset = ((hours * 60 + minutes) * 60 + seconds) * (parts[9] === '-' ? -1_000 : 1_000)
  return new Date(date.getTime() - offset)
}
