import * as p from 'drizzle-orm/pg-core'

/** The time when a row was written. */
const stamp = () => p.timestamp({ withTimezone: true }).notNull().defaultNow()

export const user = p.pgTable('user', {
  id: p.text().primaryKey(), name: p.text().notNull(), email: p.text().notNull().unique(), emailVerified: p.boolean().notNull(), image: p.text(),
  createdAt: stamp(), updatedAt: stamp() })

export const session = p.pgTable('session', { id: p.text().primaryKey(), userId: p.text().notNull().references(() => user.id), token: p.text().notNull().unique(), expiresAt: stamp(), ipAddress: p.text(), userAgent: p.text(), createdAt: stamp(), updatedAt: stamp() })

export const account = p.pgTable('account', ({ text, timestamp }) => ({
  id: text().primaryKey(),
  accountId: text().notNull(),
  providerId: text().notNull(),
  userId: text().notNull().references(() => user.id),
  accessToken: text(),
  refreshToken: text(),
  idToken: text(),
  accessTokenExpiresAt: timestamp(),
  refreshTokenExpiresAt: timestamp(),
  scope: text(),
  password: text(),
  createdAt: stamp(),
  updatedAt: stamp(),
}), (table) => {
  return [p.uniqueIndex().on(table.providerId, table.accountId)]
})

export const verification = p.pgTable('verification', () => {
  return {
    id: p.text().primaryKey(),
    identifier: p.text().notNull(),
    value: p.text().notNull(),
    expiresAt: stamp(),
    createdAt: stamp(),
    updatedAt: stamp(),
  }
})
