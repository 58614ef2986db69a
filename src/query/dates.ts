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

// As PostgreSQL writes dates in the style ISO, and MySQL in any setting: `2026-11-17 10:21:34.123+00`.
const isoDate = /^(\d{4,6})-(\d\d-(\d\d))(?:[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d)(?::?(\d\d)(?::(\d\d))?)?)?$/

/** The date that a driver returned. `undefined` if it is in another form: a guess could be another day. */
export function decodeDate(raw: unknown, column: Column): Date | undefined {
  if (typeof raw === 'string') {
    const usual = usualDate(raw)
    if (usual) return usual
  }
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
  const date = new Date(`${isoYear}-${monthAndDay}T${time}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  // Rejects dates that JavaScript would roll over: 31 February, and MySQL's zero date.
  if (date.getUTCDate() !== Number(day)) return undefined
  if (!sign) return date
  const offset = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  return new Date(date.getTime() - (sign === '-' ? -1_000 : 1_000) * offset)
}

/** `2026-11-17 10:21:34`, with up to three decimals and `+00`, several times as fast as with the pattern. Any other form is `undefined`. */
function usualDate(text: string): Date | undefined {
  const length = text.endsWith('+00') ? text.length - 3 : text.length
  if (length < 19 || length > 23 || length === 20 || (length > 20 && text[19] !== '.')) return undefined
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== ' ' || text[13] !== ':' || text[16] !== ':') return undefined
  const year = digitsAt(text, 0, 4)
  const month = digitsAt(text, 5, 7)
  const day = digitsAt(text, 8, 10)
  const hour = digitsAt(text, 11, 13)
  const minute = digitsAt(text, 14, 16)
  const second = digitsAt(text, 17, 19)
  const millisecond = length > 20 ? digitsAt(text, 20, length) * 10 ** (23 - length) : 0
  // Date.UTC takes years below 100 for those of the last century.
  if (!(year >= 100 && month >= 1 && month <= 12 && hour < 24 && minute < 60 && second < 60)) return undefined
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, millisecond))
  return date.getUTCDate() === day ? date : undefined
}

/** The number that these digits mean. `NaN` if there is another character among them. */
function digitsAt(text: string, start: number, end: number): number {
  let number = 0
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    number = number * 10 + digit
  }
  return number
}
