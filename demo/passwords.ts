import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { DemoAdapter } from './database/store.js'

const derive = promisify<string, Buffer, number, Buffer>(scrypt)

const hashOf = async (password: string, salt: Buffer) => Buffer.concat([salt, await derive(password.normalize('NFKC'), salt, 32)])

const saltLength = 16

/** Checks passwords, and creates users with a password. */
export function openPasswords(adapter: DemoAdapter) {
  return {
    /** The user with this address and password. */
    async check(email: string, password: string) {
      const user = await adapter.getUserByEmail(email)
      // Takes the same time for an unknown address.
      const stored = Buffer.from(user?.passwordHash ?? Buffer.alloc(saltLength + 32).toString('base64'), 'base64')
      const isRight = timingSafeEqual(await hashOf(password, stored.subarray(0, saltLength)), stored)
      return user && isRight ? user : null
    },

    /** Creates a user, or returns null if the address has one. */
    async create(email: string, password: string) {
      if (password.length < 8 || (await adapter.getUserByEmail(email))) return null
      const passwordHash = (await hashOf(password, randomBytes(saltLength))).toString('base64')
      return adapter.createUser({ email, passwordHash })
    },
  }
}
