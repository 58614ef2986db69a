ALTER TABLE `user` ADD `passwordHash` text;--> statement-breakpoint
ALTER TABLE `session` ADD `userAgent` text;--> statement-breakpoint
ALTER TABLE `session` ADD `ip` text;
