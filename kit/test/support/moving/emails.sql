UPDATE "user" SET "email" = "id" || '@no-email.invalid' WHERE "email" IS NULL;--> statement-breakpoint
