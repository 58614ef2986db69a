import { sqliteTableCreator, type AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { sql as query } from "drizzle-orm";

export const createTable = sqliteTableCreator((name) => `my_${name}`);

export const user = createTable("user", (d) => ({
  id: d.integer().primaryKey({ autoIncrement: true }),
  name: d.text({ length: 255 }).notNull(),
  email: d.text({ length: 255 }).notNull().unique(),
  emailVerified: d.integer({ mode: "boolean" }).notNull().default(false),
  image: d.text({ length: 255 }),
  invitedBy: d.integer().references((): AnySQLiteColumn => user.id),
  createdAt: d.integer({ mode: "timestamp" }).default(query`(unixepoch())`).notNull(),
  updatedAt: d.integer({ mode: "timestamp" }).notNull(),
}));

export const session = createTable("session", (d) => ({
  id: d.integer().primaryKey({ autoIncrement: true }),
  userId: d.integer().notNull().references(() => user.id),
  token: d.text().notNull().unique(),
  expiresAt: d.integer({ mode: "timestamp" }).notNull(),
  ipAddress: d.text(),
  userAgent: d.text(),
  createdAt: d.integer({ mode: "timestamp" }).notNull(),
  updatedAt: d.integer({ mode: "timestamp" }).notNull(),
}));

export const account = createTable("account", (d) => ({
  id: d.integer().primaryKey({ autoIncrement: true }),
  accountId: d.text().notNull(),
  providerId: d.text().notNull(),
  userId: d.integer().notNull().references(() => user.id),
  accessToken: d.text(),
  refreshToken: d.text(),
  idToken: d.text(),
  accessTokenExpiresAt: d.integer({ mode: "timestamp" }),
  refreshTokenExpiresAt: d.integer({ mode: "timestamp" }),
  scope: d.text(),
  password: d.text(),
  createdAt: d.integer({ mode: "timestamp" }).notNull(),
  updatedAt: d.integer({ mode: "timestamp" }).notNull(),
}));

export const verification = createTable("verification_token", (d) => ({
  id: d.integer().primaryKey({ autoIncrement: true }),
  identifier: d.text().notNull(),
  value: d.text().notNull(),
  expiresAt: d.integer({ mode: "timestamp" }).notNull(),
  createdAt: d.integer({ mode: "timestamp" }),
  updatedAt: d.integer({ mode: "timestamp" }),
}));
