CREATE TABLE `account` (
	`userId` text NOT NULL,
	`type` text NOT NULL,
	`provider` text NOT NULL,
	`providerAccountId` text NOT NULL,
	`refresh_token` text,
	`access_token` text,
	`expires_at` integer,
	`expires_in` integer,
	`token_type` text,
	`scope` text,
	`id_token` text,
	`session_state` text,
	PRIMARY KEY(`provider`, `providerAccountId`),
	FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `account_userId_idx` ON `account` (`userId`);
--> statement-breakpoint
CREATE TABLE `authenticator` (
	`userId` text NOT NULL,
	`credentialID` text NOT NULL,
	`providerAccountId` text NOT NULL,
	`credentialPublicKey` text NOT NULL,
	`counter` integer NOT NULL,
	`credentialDeviceType` text NOT NULL,
	`credentialBackedUp` integer NOT NULL,
	`transports` text,
	PRIMARY KEY(`userId`, `credentialID`),
	FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `authenticator_credentialID_unique` ON `authenticator` (`credentialID`);
--> statement-breakpoint
CREATE TABLE `session` (
	`sessionToken` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`expires` integer NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `session_userId_idx` ON `session` (`userId`);
--> statement-breakpoint
CREATE INDEX `session_expires_idx` ON `session` (`expires`);
--> statement-breakpoint
CREATE TABLE `user` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text,
	`email` text NOT NULL,
	`emailVerified` integer,
	`image` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
--> statement-breakpoint
CREATE TABLE `verificationToken` (
	`identifier` text NOT NULL,
	`token` text NOT NULL,
	`expires` integer NOT NULL,
	PRIMARY KEY(`identifier`, `token`)
);
--> statement-breakpoint
CREATE INDEX `verificationToken_expires_idx` ON `verificationToken` (`expires`);
--> statement-breakpoint
INSERT INTO "user" ("id", "name", "email", "emailVerified", "image") VALUES ('5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', 'Zoë Łukasz 👩‍🚀', 'josé@exämple.com', 1794910894123, NULL);
--> statement-breakpoint
INSERT INTO "user" ("id", "name", "email", "emailVerified", "image") VALUES ('id ''with \ marks"', NULL, 'jose@exämple.com', NULL, NULL);
--> statement-breakpoint
INSERT INTO "account" ("userId", "type", "provider", "providerAccountId", "refresh_token", "access_token", "expires_at", "expires_in", "token_type", "scope", "id_token", "session_state") VALUES ('5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', 'oidc', 'example', 'Ä 5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', '', 'access token of josé@exämple.com', 4102444800, 3600, 'bearer', 'openid email', 'üüüüüüüüüüüüüüüüüüüüüüüüüüüüüü', NULL);
--> statement-breakpoint
INSERT INTO "account" ("userId", "type", "provider", "providerAccountId", "refresh_token", "access_token", "expires_at", "expires_in", "token_type", "scope", "id_token", "session_state") VALUES ('id ''with \ marks"', 'oidc', 'example', 'Ä id ''with \ marks"', 'e1.2026a.JVcSMACSxSDb7cQORp01yrNqWA6DTxhHKnmkfQ', 'e1.2026a.lGLypJxFNDcdLFyjaXAre-odfCdP4-bECGnM7ehSgSISV0D_4OPswNZDfNR1wLGNhjiCfTba_bPyMQhhdw', 4102444800, 3600, 'bearer', 'openid email', 'e1.2026a.JCmt_d5wy7qyhlgc2jYErZNRTVupRoOgGCP-Oh6lQr-jR2cfQxgFa2w3hNSSDRAy9QNbRzhGSA_MqRitIJbIP9o7W1Iq51SlWPanJpCOaUK22CTcnzfFEQ', NULL);
--> statement-breakpoint
INSERT INTO "session" ("sessionToken", "userId", "expires") VALUES ('session of josé@exämple.com', '5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', 2214172799999);
--> statement-breakpoint
INSERT INTO "session" ("sessionToken", "userId", "expires") VALUES ('s1.Gln6FvLywhIEkvrEdZTCHTP8W3G2zka7UYH14g5OG2g', 'id ''with \ marks"', 2214172799999);
--> statement-breakpoint
INSERT INTO "verificationToken" ("identifier", "token", "expires") VALUES ('josé@exämple.com', 'token of josé@exämple.com', 1767323045006);
--> statement-breakpoint
INSERT INTO "verificationToken" ("identifier", "token", "expires") VALUES ('jose@exämple.com', 'token of jose@exämple.com', 1767323045006);
--> statement-breakpoint
INSERT INTO "authenticator" ("userId", "credentialID", "providerAccountId", "credentialPublicKey", "counter", "credentialDeviceType", "credentialBackedUp", "transports") VALUES ('5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', 'credential of josé@exämple.com', 'Ä 5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', 'pQECAyYgASFYIA+/=', 4294967295, 'multiDevice', 1, NULL);
--> statement-breakpoint
INSERT INTO "authenticator" ("userId", "credentialID", "providerAccountId", "credentialPublicKey", "counter", "credentialDeviceType", "credentialBackedUp", "transports") VALUES ('id ''with \ marks"', 'credential of jose@exämple.com', 'Ä id ''with \ marks"', 'pQECAyYgASFYIA+/=', 4294967295, 'multiDevice', 1, NULL);
