// Written by `npx auth generate`. Declare columns of your own as additionalFields in the options of Better Auth, not here.
// What exists stays as it is, and what is missing is added.
import { exactText } from 'drizzle-auth-adapter/mysql'
import { relations, sql } from 'drizzle-orm'
import { boolean, datetime, index, mysqlTable, text, uniqueIndex, varchar } from 'drizzle-orm/mysql-core'

export const user = mysqlTable('user', {
  id: exactText('id').primaryKey(),
  name: varchar('name', { length: 255 }).notNull(),
  email: exactText('email').notNull().unique(),
  emailVerified: boolean('email_verified').default(false).notNull(),
  image: text('image'),
  createdAt: datetime('created_at', { fsp: 3 }).default(sql`(utc_timestamp(3))`).notNull(),
  updatedAt: datetime('updated_at', { fsp: 3 }).default(sql`(utc_timestamp(3))`).$onUpdate(() => new Date()).notNull(),
})

export const session = mysqlTable('session', {
  id: exactText('id').primaryKey(),
  expiresAt: datetime('expires_at', { fsp: 3 }).notNull(),
  token: exactText('token').notNull().unique(),
  createdAt: datetime('created_at', { fsp: 3 }).default(sql`(utc_timestamp(3))`).notNull(),
  updatedAt: datetime('updated_at', { fsp: 3 }).$onUpdate(() => new Date()).notNull(),
  ipAddress: text('ip_address'),
  userAgent: text('user_agent'),
  userId: exactText('user_id').notNull().references(() => user.id, { onDelete: 'cascade' }),
  activeOrganizationId: text('active_organization_id'),
}, (table) => [
  index('session_userId_idx').on(table.userId),
  index('session_expiresAt_idx').on(table.expiresAt),
])

export const account = mysqlTable('account', {
  id: exactText('id').primaryKey(),
  accountId: exactText('account_id').notNull(),
  providerId: exactText('provider_id').notNull(),
  userId: exactText('user_id').notNull().references(() => user.id, { onDelete: 'cascade' }),
  accessToken: text('access_token'),
  refreshToken: text('refresh_token'),
  idToken: text('id_token'),
  accessTokenExpiresAt: datetime('access_token_expires_at', { fsp: 3 }),
  refreshTokenExpiresAt: datetime('refresh_token_expires_at', { fsp: 3 }),
  scope: text('scope'),
  password: text('password'),
  createdAt: datetime('created_at', { fsp: 3 }).default(sql`(utc_timestamp(3))`).notNull(),
  updatedAt: datetime('updated_at', { fsp: 3 }).$onUpdate(() => new Date()).notNull(),
}, (table) => [
  index('account_userId_idx').on(table.userId),
  uniqueIndex('account_providerId_accountId_uidx').on(table.providerId, table.accountId),
])

export const verification = mysqlTable('verification', {
  id: exactText('id').primaryKey(),
  identifier: exactText('identifier').notNull(),
  value: text('value').notNull(),
  expiresAt: datetime('expires_at', { fsp: 3 }).notNull(),
  createdAt: datetime('created_at', { fsp: 3 }).default(sql`(utc_timestamp(3))`).notNull(),
  updatedAt: datetime('updated_at', { fsp: 3 }).default(sql`(utc_timestamp(3))`).$onUpdate(() => new Date()).notNull(),
}, (table) => [
  index('verification_identifier_idx').on(table.identifier),
  index('verification_expiresAt_idx').on(table.expiresAt),
])

export const organization = mysqlTable('organization', {
  id: exactText('id').primaryKey(),
  name: varchar('name', { length: 255 }).notNull(),
  slug: exactText('slug').notNull().unique(),
  logo: text('logo'),
  createdAt: datetime('created_at', { fsp: 3 }).notNull(),
  metadata: text('metadata'),
})

export const member = mysqlTable('member', {
  id: exactText('id').primaryKey(),
  organizationId: exactText('organization_id').notNull().references(() => organization.id, { onDelete: 'cascade' }),
  userId: exactText('user_id').notNull().references(() => user.id, { onDelete: 'cascade' }),
  role: varchar('role', { length: 255 }).default('member').notNull(),
  createdAt: datetime('created_at', { fsp: 3 }).notNull(),
}, (table) => [
  index('member_organizationId_idx').on(table.organizationId),
  index('member_userId_idx').on(table.userId),
])

export const invitation = mysqlTable('invitation', {
  id: exactText('id').primaryKey(),
  organizationId: exactText('organization_id').notNull().references(() => organization.id, { onDelete: 'cascade' }),
  email: exactText('email').notNull(),
  role: varchar('role', { length: 255 }),
  status: varchar('status', { length: 255 }).default('pending').notNull(),
  expiresAt: datetime('expires_at', { fsp: 3 }).notNull(),
  createdAt: datetime('created_at', { fsp: 3 }).default(sql`(utc_timestamp(3))`).notNull(),
  inviterId: exactText('inviter_id').notNull().references(() => user.id, { onDelete: 'cascade' }),
}, (table) => [
  index('invitation_organizationId_idx').on(table.organizationId),
  index('invitation_email_idx').on(table.email),
])

export const userRelations = relations(user, ({ many }) => ({
  sessions: many(session),
  accounts: many(account),
  members: many(member),
  invitations: many(invitation),
}))

export const sessionRelations = relations(session, ({ one }) => ({
  user: one(user, { fields: [session.userId], references: [user.id] }),
}))

export const accountRelations = relations(account, ({ one }) => ({
  user: one(user, { fields: [account.userId], references: [user.id] }),
}))

export const organizationRelations = relations(organization, ({ many }) => ({
  members: many(member),
  invitations: many(invitation),
}))

export const memberRelations = relations(member, ({ one }) => ({
  organization: one(organization, { fields: [member.organizationId], references: [organization.id] }),
  user: one(user, { fields: [member.userId], references: [user.id] }),
}))

export const invitationRelations = relations(invitation, ({ one }) => ({
  organization: one(organization, { fields: [invitation.organizationId], references: [organization.id] }),
  user: one(user, { fields: [invitation.inviterId], references: [user.id] }),
}))
