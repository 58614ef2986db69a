import { createHash } from 'node:crypto'
import type { Row } from './database/store.js'

const secret = /token$|^credentialPublicKey$|^session_state$|^passwordHash$/i

/** A short name for a secret that does not give it away. */
export const fingerprint = (value: unknown) => createHash('sha256').update(String(value)).digest('hex').slice(0, 12)

/** A row as anybody may see it. */
export function masked(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, secret.test(name) && value ? mask(String(value)) : value]))
}

export const mask = (value: string) => `${value.slice(0, 4)}••••`
