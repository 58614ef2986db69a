UPDATE `user` SET `email` = LOWER(`email`);--> statement-breakpoint
