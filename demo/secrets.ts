import { createHash } from 'node:crypto'
import type { Row } from './database/store.js'

const secret = /token$|^credentialPublicKey$|^session_state$|^password(Hash)?$|^value$/i

/** A short hash that identifies a secret without revealing it. */
export const fingerprint = (value: unknown) => createHash('sha256').update(String(value)).digest('hex').slice(0, 12)

/** Masks the secrets of a row, so that it can be shown to everybody. */
export function masked(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, secret.test(name) && value ? mask(String(value)) : value]))
}

export const mask = (value: string) => `${value.slice(0, 4)}••••`
