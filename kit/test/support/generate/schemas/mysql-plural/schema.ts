import { relations, sql } from "drizzle-orm"
import { boolean, datetime, int, mysqlEnum, mysqlTable, text, unique, varchar } from "drizzle-orm/mysql-core"

const id = () => varchar("id", { length: 64 }).primaryKey()
const now = sql`CURRENT_TIMESTAMP(3)`

export const users = mysqlTable("users", {
	id: id(),
	name: varchar("name", { length: 255 }).notNull(),
	email: varchar("email", { length: 255 }).notNull().unique(),
	email_verified: boolean("email_verified").notNull(),
	image: text("image"),
	kind: mysqlEnum("kind", ["person", "bot"]).default("person").notNull(),
	visits: int("visits").default(0),
	createdAt: datetime("created_at", { fsp: 3 }).default(now).notNull(),
	updatedAt: datetime("updated_at", { fsp: 3 }).default(now).notNull()
})

export const sessions = mysqlTable("sessions", {
	id: id(),
	token: varchar("token", { length: 255 }).notNull(),
	userId: varchar("user_id", { length: 64 }).notNull().references(() => users.id, { onDelete: "cascade" }),
	expiresAt: datetime("expires_at", { fsp: 3 }).notNull(),
	ipAddress: text("ip_address"),
	userAgent: text("user_agent"),
	createdAt: datetime("created_at", { fsp: 3 }).default(now).notNull(),
	updatedAt: datetime("updated_at", { fsp: 3 }).notNull(),
}, (table) => ({
	token: unique("sessions_token").on(table.token)
}))

export const accounts = mysqlTable("accounts", {
	id: id(),
	accountId: varchar("account_id", { length: 255 }).notNull(),
	providerId: varchar("provider_id", { length: 64 }).notNull(),
	userId: varchar("user_id", { length: 64 }).notNull().references(() => users.id, { onDelete: "cascade" }),
	accessToken: text("access_token"),
	refreshToken: text("refresh_token"),
	idToken: text("id_token"),
	accessTokenExpiresAt: datetime("access_token_expires_at", { fsp: 3 }),
	refreshTokenExpiresAt: datetime("refresh_token_expires_at", { fsp: 3 }),
	scope: text("scope"),
	password: text("password"),
	createdAt: datetime("created_at", { fsp: 3 }).default(now).notNull(),
	updatedAt: datetime("updated_at", { fsp: 3 }).notNull(),
})

export const verifications = mysqlTable("verifications", {
	id: id(),
	identifier: varchar("identifier", { length: 255 }).notNull(),
	value: text("value").notNull(),
	expiresAt: datetime("expires_at", { fsp: 3 }).notNull(),
	createdAt: datetime("created_at", { fsp: 3 }),
	updatedAt: datetime("updated_at", { fsp: 3 }),
})

export const usersRelations = relations(users, ({ many }) => ({ sessions: many(sessions) }))
