UPDATE `user` SET `email` = CONCAT(`id`, '@no-email.invalid') WHERE `email` IS NULL;--> statement-breakpoint
ALTER TABLE `account` DROP FOREIGN KEY `account_userId_user_id_fk`;--> statement-breakpoint
ALTER TABLE `authenticator` DROP FOREIGN KEY `authenticator_userId_user_id_fk`;--> statement-breakpoint
ALTER TABLE `session` DROP FOREIGN KEY `session_userId_user_id_fk`;--> statement-breakpoint
ALTER TABLE `user` CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;--> statement-breakpoint
ALTER TABLE `account` CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;--> statement-breakpoint
ALTER TABLE `session` CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;--> statement-breakpoint
ALTER TABLE `verificationToken` CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;--> statement-breakpoint
ALTER TABLE `authenticator` CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;--> statement-breakpoint
