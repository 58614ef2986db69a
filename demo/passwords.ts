import type { ScryptOptions } from 'node:crypto'
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { DemoAdapter } from './database/store.js'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** The salt, followed by the hash. */
async function hashWith(cost: string, password: string, salt: Buffer): Promise<Buffer> {
  const [N = 0, r = 0, p = 0] = cost.split('$').map(Number)
  return Buffer.concat([salt, await derive(password.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r })])
}

const saltLength = 16

/** N, r and p of scrypt. Each hash is stored with its own. */
const cost = '32768$8$3'
const noHash = `${cost}$${Buffer.alloc(saltLength + 32).toString('base64')}`

export const shortest = 15
const longest = 256

/** Checks passwords, and creates users with a password. */
export function openPasswords(adapter: DemoAdapter) {
  return {
    /** The user with this address and password. */
    async check(email: string, password: string) {
      if (password.length > longest) return null
      const user = await adapter.getUserByEmail(email)
      // Takes the same time for an unknown address.
      const hash = user?.passwordHash ?? noHash
      const at = hash.lastIndexOf('$')
      const stored = Buffer.from(hash.slice(at + 1), 'base64')
      const isRight = timingSafeEqual(await hashWith(hash.slice(0, at), password, stored.subarray(0, saltLength)), stored)
      return user && isRight ? user : null
    },

    /** Creates a user, or returns null if the address has one. */
    async create(email: string, password: string) {
      if (password.length < shortest || password.length > longest || (await adapter.getUserByEmail(email))) return null
      const hash = await hashWith(cost, password, randomBytes(saltLength))
      return adapter.createUser({ email, passwordHash: `${cost}$${hash.toString('base64')}` })
    },
  }
}
