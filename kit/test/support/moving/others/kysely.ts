import type { DialectName } from '../../../../../test/support/dialects.js'

/** The tables that @auth/kysely-adapter documents for PostgreSQL, and their equivalents for the other databases that it supports. */
export const kyselyTables: Record<DialectName, string[]> = {
  pg: [
    `create table "User" ("id" uuid primary key default gen_random_uuid(), "name" text, "email" text unique not null, "emailVerified" timestamptz, "image" text)`,
    `create table "Account" ("id" uuid primary key default gen_random_uuid(), "userId" uuid not null references "User" ("id") on delete cascade,
      "type" text not null, "provider" text not null, "providerAccountId" text not null, "refresh_token" text, "access_token" text,
      "expires_at" bigint, "token_type" text, "scope" text, "id_token" text, "session_state" text)`,
    `create table "Session" ("id" uuid primary key default gen_random_uuid(), "userId" uuid not null references "User" ("id") on delete cascade,
      "sessionToken" text not null unique, "expires" timestamptz not null)`,
    `create table "VerificationToken" ("identifier" text not null, "token" text not null unique, "expires" timestamptz not null)`,
    'create index "Account_userId_index" on "Account" ("userId")',
    'create index "Session_userId_index" on "Session" ("userId")',
  ],
  mysql: [
    'create table `User` (id varchar(36) primary key, name varchar(255), email varchar(255) unique not null, emailVerified timestamp(3) null, image text)',
    `create table \`Account\` (id varchar(36) primary key default (uuid()), userId varchar(36) not null, type varchar(255) not null,
      provider varchar(255) not null, providerAccountId varchar(255) not null, refresh_token text, access_token text, expires_at bigint,
      token_type varchar(255), scope varchar(255), id_token text, session_state text, foreign key (userId) references \`User\` (id) on delete cascade)`,
    `create table \`Session\` (id varchar(36) primary key default (uuid()), userId varchar(36) not null, sessionToken varchar(255) not null unique,
      expires timestamp(3) not null, foreign key (userId) references \`User\` (id) on delete cascade)`,
    'create table `VerificationToken` (identifier varchar(255) not null, token varchar(255) not null unique, expires timestamp(3) not null)',
  ],
  sqlite: [
    'create table "User" ("id" text primary key, "name" text, "email" text unique not null, "emailVerified" text, "image" text)',
    `create table "Account" ("id" text primary key default (lower(hex(randomblob(16)))), "userId" text not null references "User" ("id") on delete cascade,
      "type" text not null, "provider" text not null, "providerAccountId" text not null, "refresh_token" text, "access_token" text,
      "expires_at" integer, "token_type" text, "scope" text, "id_token" text, "session_state" text)`,
    `create table "Session" ("id" text primary key default (lower(hex(randomblob(16)))), "userId" text not null references "User" ("id") on delete cascade,
      "sessionToken" text not null unique, "expires" text not null)`,
    'create table "VerificationToken" ("identifier" text not null, "token" text not null unique, "expires" text not null)',
    'create index "Account_userId_index" on "Account" ("userId")',
    'create index "Session_userId_index" on "Session" ("userId")',
  ],
}
