import type { Column } from 'drizzle-orm'

/** Whether this is a valid date, of this realm or another. */
export function isDate(value: unknown): value is Date {
  return (
    typeof value === 'object' && Object.prototype.toString.call(value) === '[object Date]' && Number.isFinite((value as Date).getTime())
  )
}

/** A copy of a date. A date that went through JSON is text: passkey sign-up sends a new user that way. */
export function toDate(value: unknown): Date | undefined {
  const date = typeof value === 'string' || isDate(value) ? new Date(value) : undefined
  return isDate(date) && (typeof value !== 'string' || date.toJSON() === value) ? date : undefined
}

// As PostgreSQL writes dates in the style ISO in UTC, and MySQL in any setting.
const usualDate = /^(\d{4}-\d\d-(\d\d)) (\d\d:\d\d:\d\d(?:\.\d{1,3})?)(?:\+00)?$/
// The same with any number of digits, and in any time zone. It takes three times as long.
const isoDate = /^(\d{4,6})-(\d\d-(\d\d))(?:[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d)(?::?(\d\d)(?::(\d\d))?)?)?$/

/** The date that a driver returned. `undefined` if it is in another form: a guess could be another day. */
export function decodeDate(raw: unknown, column: Column): Date | undefined {
  const usual = typeof raw === 'string' ? usualDate.exec(raw) : null
  if (usual) return onDay(new Date(`${usual[1]}T${usual[3]}Z`), usual[2])
  if (isDate(raw)) return new Date(raw.getTime())
  // SQLite's columns count seconds or milliseconds. Drivers may return a bigint or text.
  const { mode } = column as { mode?: string }
  if (mode?.startsWith('timestamp')) {
    const count = typeof raw === 'number' || /^-?\d+$/.test(String(raw)) ? Number(raw) : undefined
    return Number.isSafeInteger(count) ? new Date((count as number) * (mode === 'timestamp' ? 1_000 : 1)) : undefined
  }
  const parts = typeof raw === 'string' ? isoDate.exec(raw) : null
  if (!parts) return undefined
  const [, year = '', monthAndDay, day, time = '00:00:00', fraction = '', sign, hours, minutes = 0, seconds = 0] = parts
  // JavaScript writes years beyond 9999 with a sign and six digits.
  const isoYear = year.length === 4 ? year : `+${year.padStart(6, '0')}`
  const date = onDay(new Date(`${isoYear}-${monthAndDay}T${time}.${fraction.padEnd(3, '0').slice(0, 3)}Z`), day)
  if (!date || !sign) return date
  const offset = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  return new Date(date.getTime() - (sign === '-' ? -1_000 : 1_000) * offset)
}

/** The date, unless JavaScript has rolled it over to another day, such as 31 February. MySQL's zero date is none. */
function onDay(date: Date, day: unknown): Date | undefined {
  return date.getUTCDate() === Number(day) ? date : undefined
}

/** Whether a text begins with a day that exists. */
export function isCalendarDay(text: string): boolean {
  return onDay(new Date(text.slice(0, 10)), text.slice(8, 10)) !== undefined
}
