import type { DialectName } from '../../../../../test/support/dialects.js'

/** The tables of the Prisma schema that @auth/prisma-adapter documents, as `prisma migrate` creates them. */
export const prismaTables: Record<DialectName, string[]> = {
  pg: [
    `create table "User" ("id" text not null, "name" text, "email" text not null, "emailVerified" timestamp(3), "image" text,
      "createdAt" timestamp(3) not null default current_timestamp, "updatedAt" timestamp(3) not null, constraint "User_pkey" primary key ("id"))`,
    `create table "Account" ("userId" text not null, "type" text not null, "provider" text not null, "providerAccountId" text not null,
      "refresh_token" text, "access_token" text, "expires_at" integer, "token_type" text, "scope" text, "id_token" text, "session_state" text,
      "createdAt" timestamp(3) not null default current_timestamp, "updatedAt" timestamp(3) not null,
      constraint "Account_pkey" primary key ("provider", "providerAccountId"))`,
    `create table "Session" ("sessionToken" text not null, "userId" text not null, "expires" timestamp(3) not null,
      "createdAt" timestamp(3) not null default current_timestamp, "updatedAt" timestamp(3) not null)`,
    `create table "VerificationToken" ("identifier" text not null, "token" text not null, "expires" timestamp(3) not null,
      constraint "VerificationToken_pkey" primary key ("identifier", "token"))`,
    `create table "Authenticator" ("credentialID" text not null, "userId" text not null, "providerAccountId" text not null,
      "credentialPublicKey" text not null, "counter" integer not null, "credentialDeviceType" text not null, "credentialBackedUp" boolean not null,
      "transports" text, constraint "Authenticator_pkey" primary key ("userId", "credentialID"))`,
    'create unique index "User_email_key" on "User" ("email")',
    'create unique index "Session_sessionToken_key" on "Session" ("sessionToken")',
    'create unique index "Authenticator_credentialID_key" on "Authenticator" ("credentialID")',
    ...['Account', 'Session', 'Authenticator'].map(
      (table) =>
        `alter table "${table}" add constraint "${table}_userId_fkey" foreign key ("userId") references "User" ("id") on delete cascade on update cascade`,
    ),
  ],
  mysql: [
    `create table \`User\` (id varchar(191) not null, name varchar(191), email varchar(191) not null, emailVerified datetime(3), image text,
      createdAt datetime(3) not null default current_timestamp(3), updatedAt datetime(3) not null, unique index User_email_key (email), primary key (id))`,
    `create table \`Account\` (userId varchar(191) not null, type varchar(191) not null, provider varchar(191) not null, providerAccountId varchar(191) not null,
      refresh_token text, access_token text, expires_at int, token_type varchar(191), scope varchar(191), id_token text, session_state varchar(191),
      createdAt datetime(3) not null default current_timestamp(3), updatedAt datetime(3) not null, primary key (provider, providerAccountId))`,
    `create table \`Session\` (sessionToken varchar(191) not null, userId varchar(191) not null, expires datetime(3) not null,
      createdAt datetime(3) not null default current_timestamp(3), updatedAt datetime(3) not null, unique index Session_sessionToken_key (sessionToken))`,
    `create table \`VerificationToken\` (identifier varchar(191) not null, token varchar(191) not null, expires datetime(3) not null,
      primary key (identifier, token))`,
    `create table \`Authenticator\` (credentialID varchar(191) not null, userId varchar(191) not null, providerAccountId varchar(191) not null,
      credentialPublicKey text not null, counter int not null, credentialDeviceType varchar(191) not null, credentialBackedUp boolean not null,
      transports varchar(191), unique index Authenticator_credentialID_key (credentialID), primary key (userId, credentialID))`,
    ...['Account', 'Session', 'Authenticator'].map(
      (table) =>
        `alter table \`${table}\` add constraint ${table}_userId_fkey foreign key (userId) references \`User\` (id) on delete cascade on update cascade`,
    ),
  ].map((statement) =>
    statement.startsWith('create table') ? `${statement} default character set utf8mb4 collate utf8mb4_unicode_ci` : statement,
  ),
  sqlite: [
    `CREATE TABLE "User" ("id" TEXT NOT NULL PRIMARY KEY, "name" TEXT, "email" TEXT NOT NULL, "emailVerified" DATETIME, "image" TEXT,
      "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, "updatedAt" DATETIME NOT NULL)`,
    `CREATE TABLE "Account" ("userId" TEXT NOT NULL, "type" TEXT NOT NULL, "provider" TEXT NOT NULL, "providerAccountId" TEXT NOT NULL,
      "refresh_token" TEXT, "access_token" TEXT, "expires_at" INTEGER, "token_type" TEXT, "scope" TEXT, "id_token" TEXT, "session_state" TEXT,
      "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, "updatedAt" DATETIME NOT NULL, PRIMARY KEY ("provider", "providerAccountId"),
      CONSTRAINT "Account_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE)`,
    `CREATE TABLE "Session" ("sessionToken" TEXT NOT NULL, "userId" TEXT NOT NULL, "expires" DATETIME NOT NULL,
      "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, "updatedAt" DATETIME NOT NULL,
      CONSTRAINT "Session_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE)`,
    `CREATE TABLE "VerificationToken" ("identifier" TEXT NOT NULL, "token" TEXT NOT NULL, "expires" DATETIME NOT NULL, PRIMARY KEY ("identifier", "token"))`,
    `CREATE TABLE "Authenticator" ("credentialID" TEXT NOT NULL, "userId" TEXT NOT NULL, "providerAccountId" TEXT NOT NULL,
      "credentialPublicKey" TEXT NOT NULL, "counter" INTEGER NOT NULL, "credentialDeviceType" TEXT NOT NULL, "credentialBackedUp" BOOLEAN NOT NULL,
      "transports" TEXT, PRIMARY KEY ("userId", "credentialID"),
      CONSTRAINT "Authenticator_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE)`,
    'CREATE UNIQUE INDEX "User_email_key" ON "User"("email")',
    'CREATE UNIQUE INDEX "Session_sessionToken_key" ON "Session"("sessionToken")',
    'CREATE UNIQUE INDEX "Authenticator_credentialID_key" ON "Authenticator"("credentialID")',
  ],
}
