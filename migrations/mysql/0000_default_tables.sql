CREATE TABLE `account` (
	`userId` varbinary(1020) NOT NULL,
	`type` longtext character set utf8mb4 NOT NULL,
	`provider` varbinary(1020) NOT NULL,
	`providerAccountId` varbinary(2048) NOT NULL,
	`refresh_token` longtext character set utf8mb4,
	`access_token` longtext character set utf8mb4,
	`expires_at` bigint,
	`expires_in` bigint,
	`token_type` longtext character set utf8mb4,
	`scope` longtext character set utf8mb4,
	`id_token` longtext character set utf8mb4,
	`session_state` longtext character set utf8mb4,
	CONSTRAINT `account_provider_providerAccountId_pk` PRIMARY KEY(`provider`,`providerAccountId`)
);
--> statement-breakpoint
CREATE TABLE `authenticator` (
	`userId` varbinary(1020) NOT NULL,
	`credentialID` varbinary(2048) NOT NULL,
	`providerAccountId` varbinary(2048) NOT NULL,
	`credentialPublicKey` longtext character set utf8mb4 NOT NULL,
	`counter` int unsigned NOT NULL,
	`credentialDeviceType` longtext character set utf8mb4 NOT NULL,
	`credentialBackedUp` boolean NOT NULL,
	`transports` longtext character set utf8mb4,
	CONSTRAINT `authenticator_userId_credentialID_pk` PRIMARY KEY(`userId`,`credentialID`),
	CONSTRAINT `authenticator_credentialID_unique` UNIQUE(`credentialID`)
);
--> statement-breakpoint
CREATE TABLE `session` (
	`sessionToken` varbinary(1020) NOT NULL,
	`userId` varbinary(1020) NOT NULL,
	`expires` datetime(3) NOT NULL,
	CONSTRAINT `session_sessionToken` PRIMARY KEY(`sessionToken`)
);
--> statement-breakpoint
CREATE TABLE `user` (
	`id` varbinary(1020) NOT NULL,
	`name` longtext character set utf8mb4,
	`email` varbinary(1020) NOT NULL,
	`emailVerified` datetime(3),
	`image` longtext character set utf8mb4,
	CONSTRAINT `user_id` PRIMARY KEY(`id`),
	CONSTRAINT `user_email_unique` UNIQUE(`email`)
);
--> statement-breakpoint
CREATE TABLE `verificationToken` (
	`identifier` varbinary(1020) NOT NULL,
	`token` varbinary(1020) NOT NULL,
	`expires` datetime(3) NOT NULL,
	CONSTRAINT `verificationToken_identifier_token_pk` PRIMARY KEY(`identifier`,`token`)
);
--> statement-breakpoint
ALTER TABLE `account` ADD CONSTRAINT `account_userId_user_id_fk` FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE `authenticator` ADD CONSTRAINT `authenticator_userId_user_id_fk` FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE `session` ADD CONSTRAINT `session_userId_user_id_fk` FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX `account_userId_idx` ON `account` (`userId`);--> statement-breakpoint
CREATE INDEX `session_userId_idx` ON `session` (`userId`);--> statement-breakpoint
CREATE INDEX `session_expires_idx` ON `session` (`expires`);--> statement-breakpoint
CREATE INDEX `verificationToken_expires_idx` ON `verificationToken` (`expires`);