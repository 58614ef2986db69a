-- Tables for @auth/kysely-adapter: the names that it asks for, and the indexes that its documentation advises.
create table "User" (
  "id" text primary key,
  "name" text,
  "email" text not null unique,
  "emailVerified" timestamptz(3),
  "image" text
);
--> statement-breakpoint
create table "Account" (
  "id" uuid primary key default gen_random_uuid(),
  "userId" text not null references "User" ("id") on delete cascade,
  "type" text not null,
  "provider" text not null,
  "providerAccountId" text not null,
  "refresh_token" text,
  "access_token" text,
  "expires_at" bigint,
  "expires_in" bigint,
  "token_type" text,
  "scope" text,
  "id_token" text,
  "session_state" text,
  unique ("provider", "providerAccountId")
);
--> statement-breakpoint
create table "Session" (
  "id" uuid primary key default gen_random_uuid(),
  "userId" text not null references "User" ("id") on delete cascade,
  "sessionToken" text not null unique,
  "expires" timestamptz(3) not null
);
--> statement-breakpoint
create table "VerificationToken" (
  "identifier" text not null,
  "token" text not null unique,
  "expires" timestamptz(3) not null
);
--> statement-breakpoint
create index "Account_userId_index" on "Account" ("userId");
--> statement-breakpoint
create index "Session_userId_index" on "Session" ("userId");
