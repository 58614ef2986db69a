SET time_zone = '+05:30';--> statement-breakpoint
