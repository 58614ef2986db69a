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
ALTER TABLE `account` ADD CONSTRAINT `account_userId_user_id_fk` FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE `authenticator` ADD CONSTRAINT `authenticator_userId_user_id_fk` FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE `session` ADD CONSTRAINT `session_userId_user_id_fk` FOREIGN KEY (`userId`) REFERENCES `user`(`id`) ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX `account_userId_idx` ON `account` (`userId`);
--> statement-breakpoint
CREATE INDEX `session_userId_idx` ON `session` (`userId`);
--> statement-breakpoint
CREATE INDEX `session_expires_idx` ON `session` (`expires`);
--> statement-breakpoint
CREATE INDEX `verificationToken_expires_idx` ON `verificationToken` (`expires`);
--> statement-breakpoint
INSERT INTO `user` (`id`, `name`, `email`, `emailVerified`, `image`) VALUES (x'35663063376135322D396431622D346135332D386636652D306438613663316632623365', 'Zoë Łukasz 👩‍🚀', x'6A6F73C3A9406578C3A46D706C652E636F6D', '2026-11-17 10:21:34.123', NULL);
--> statement-breakpoint
INSERT INTO `user` (`id`, `name`, `email`, `emailVerified`, `image`) VALUES (x'6964202777697468205C206D61726B7322', NULL, x'6A6F7365406578C3A46D706C652E636F6D', NULL, NULL);
--> statement-breakpoint
INSERT INTO `account` (`userId`, `type`, `provider`, `providerAccountId`, `refresh_token`, `access_token`, `expires_at`, `expires_in`, `token_type`, `scope`, `id_token`, `session_state`) VALUES (x'35663063376135322D396431622D346135332D386636652D306438613663316632623365', 'oidc', x'6578616D706C65', x'C3842035663063376135322D396431622D346135332D386636652D306438613663316632623365', '', 'access token of josé@exämple.com', 4102444800, 3600, 'bearer', 'openid email', 'üüüüüüüüüüüüüüüüüüüüüüüüüüüüüü', NULL);
--> statement-breakpoint
INSERT INTO `account` (`userId`, `type`, `provider`, `providerAccountId`, `refresh_token`, `access_token`, `expires_at`, `expires_in`, `token_type`, `scope`, `id_token`, `session_state`) VALUES (x'6964202777697468205C206D61726B7322', 'oidc', x'6578616D706C65', x'C384206964202777697468205C206D61726B7322', 'e1.2026a.Qw_vrimIbA-tsB3SfYOQGhTO0RvkBqxTIdOtkw', 'e1.2026a.aga2Z_pbJD2Nm5noNRBF_g0ueVl0kQCI0s6CzhGQODiotbxomd_ejwkioih6qOO4Ywj-GU8rr1FAqIa-Vw', 4102444800, 3600, 'bearer', 'openid email', 'e1.2026a.h0g2U_ZHIYyxgicZhtoTqfhRa2K5hn3RE1UcLaYC8ccoYViYqZTrHVAL6Tu57VVk_GrjUJi_KCFXZqaFBcpQ3CtQ4JeDA014mbRoxMqwo18Q0NW-DJxy0g', NULL);
--> statement-breakpoint
INSERT INTO `session` (`sessionToken`, `userId`, `expires`) VALUES (x'73312E476C6E3646764C79776849456B767245645A544348545038573347327A6B6137555948313467354F473267', x'6964202777697468205C206D61726B7322', '2040-02-29 23:59:59.999');
--> statement-breakpoint
INSERT INTO `session` (`sessionToken`, `userId`, `expires`) VALUES (x'73657373696F6E206F66206A6F73C3A9406578C3A46D706C652E636F6D', x'35663063376135322D396431622D346135332D386636652D306438613663316632623365', '2040-02-29 23:59:59.999');
--> statement-breakpoint
INSERT INTO `verificationToken` (`identifier`, `token`, `expires`) VALUES (x'6A6F7365406578C3A46D706C652E636F6D', x'746F6B656E206F66206A6F7365406578C3A46D706C652E636F6D', '2026-01-02 03:04:05.006');
--> statement-breakpoint
INSERT INTO `verificationToken` (`identifier`, `token`, `expires`) VALUES (x'6A6F73C3A9406578C3A46D706C652E636F6D', x'746F6B656E206F66206A6F73C3A9406578C3A46D706C652E636F6D', '2026-01-02 03:04:05.006');
--> statement-breakpoint
INSERT INTO `authenticator` (`userId`, `credentialID`, `providerAccountId`, `credentialPublicKey`, `counter`, `credentialDeviceType`, `credentialBackedUp`, `transports`) VALUES (x'35663063376135322D396431622D346135332D386636652D306438613663316632623365', x'63726564656E7469616C206F66206A6F73C3A9406578C3A46D706C652E636F6D', x'C3842035663063376135322D396431622D346135332D386636652D306438613663316632623365', 'pQECAyYgASFYIA+/=', 4294967295, 'multiDevice', 1, NULL);
--> statement-breakpoint
INSERT INTO `authenticator` (`userId`, `credentialID`, `providerAccountId`, `credentialPublicKey`, `counter`, `credentialDeviceType`, `credentialBackedUp`, `transports`) VALUES (x'6964202777697468205C206D61726B7322', x'63726564656E7469616C206F66206A6F7365406578C3A46D706C652E636F6D', x'C384206964202777697468205C206D61726B7322', 'pQECAyYgASFYIA+/=', 4294967295, 'multiDevice', 1, NULL);
