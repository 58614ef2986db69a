-- Tables for @auth/kysely-adapter: the names that it asks for, and the indexes that its documentation advises.
create table `User` (
  `id` varchar(255) primary key,
  `name` varchar(255),
  `email` varchar(255) not null unique,
  `emailVerified` datetime(3),
  `image` varchar(255)
);
--> statement-breakpoint
create table `Account` (
  `id` char(36) primary key default (uuid()),
  `userId` varchar(255) not null,
  `type` varchar(255) not null,
  `provider` varchar(255) not null,
  `providerAccountId` varchar(255) not null,
  `refresh_token` text,
  `access_token` text,
  `expires_at` bigint,
  `expires_in` bigint,
  `token_type` varchar(255),
  `scope` varchar(255),
  `id_token` text,
  `session_state` text,
  unique (`provider`, `providerAccountId`),
  index `Account_userId_index` (`userId`),
  foreign key (`userId`) references `User` (`id`) on delete cascade
);
--> statement-breakpoint
create table `Session` (
  `id` char(36) primary key default (uuid()),
  `userId` varchar(255) not null,
  `sessionToken` varchar(255) not null unique,
  `expires` datetime(3) not null,
  index `Session_userId_index` (`userId`),
  foreign key (`userId`) references `User` (`id`) on delete cascade
);
--> statement-breakpoint
create table `VerificationToken` (
  `identifier` varchar(255) not null,
  `token` varchar(255) not null unique,
  `expires` datetime(3) not null
);
