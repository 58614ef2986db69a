CREATE TABLE "account" (
	"userId" text NOT NULL,
	"type" text NOT NULL,
	"provider" text NOT NULL,
	"providerAccountId" text NOT NULL,
	"refresh_token" text,
	"access_token" text,
	"expires_at" bigint,
	"expires_in" bigint,
	"token_type" text,
	"scope" text,
	"id_token" text,
	"session_state" text,
	CONSTRAINT "account_provider_providerAccountId_pk" PRIMARY KEY("provider","providerAccountId")
);
--> statement-breakpoint
CREATE TABLE "authenticator" (
	"userId" text NOT NULL,
	"credentialID" text NOT NULL,
	"providerAccountId" text NOT NULL,
	"credentialPublicKey" text NOT NULL,
	"counter" bigint NOT NULL,
	"credentialDeviceType" text NOT NULL,
	"credentialBackedUp" boolean NOT NULL,
	"transports" text,
	CONSTRAINT "authenticator_userId_credentialID_pk" PRIMARY KEY("userId","credentialID"),
	CONSTRAINT "authenticator_credentialID_unique" UNIQUE("credentialID")
);
--> statement-breakpoint
CREATE TABLE "session" (
	"sessionToken" text PRIMARY KEY NOT NULL,
	"userId" text NOT NULL,
	"expires" timestamp (3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text,
	"email" text NOT NULL,
	"emailVerified" timestamp (3),
	"image" text,
	CONSTRAINT "user_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "verificationToken" (
	"identifier" text NOT NULL,
	"token" text NOT NULL,
	"expires" timestamp (3) NOT NULL,
	CONSTRAINT "verificationToken_identifier_token_pk" PRIMARY KEY("identifier","token")
);
--> statement-breakpoint
ALTER TABLE "account" ADD CONSTRAINT "account_userId_user_id_fk" FOREIGN KEY ("userId") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "authenticator" ADD CONSTRAINT "authenticator_userId_user_id_fk" FOREIGN KEY ("userId") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_userId_user_id_fk" FOREIGN KEY ("userId") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "account_userId_idx" ON "account" USING btree ("userId");
--> statement-breakpoint
CREATE INDEX "session_userId_idx" ON "session" USING btree ("userId");
--> statement-breakpoint
CREATE INDEX "session_expires_idx" ON "session" USING btree ("expires");
--> statement-breakpoint
CREATE INDEX "verificationToken_expires_idx" ON "verificationToken" USING btree ("expires");
--> statement-breakpoint
INSERT INTO "user" ("id", "name", "email", "emailVerified", "image") VALUES ('5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', 'Zoë Łukasz 👩‍🚀', 'josé@exämple.com', '2026-11-17 10:21:34.123', NULL);
--> statement-breakpoint
INSERT INTO "user" ("id", "name", "email", "emailVerified", "image") VALUES (E'id ''with \\ marks"', NULL, 'jose@exämple.com', NULL, NULL);
--> statement-breakpoint
INSERT INTO "account" ("userId", "type", "provider", "providerAccountId", "refresh_token", "access_token", "expires_at", "expires_in", "token_type", "scope", "id_token", "session_state") VALUES ('5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', 'oidc', 'example', 'Ä 5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', '', 'access token of josé@exämple.com', 4102444800, 3600, 'bearer', 'openid email', 'üüüüüüüüüüüüüüüüüüüüüüüüüüüüüü', NULL);
--> statement-breakpoint
INSERT INTO "account" ("userId", "type", "provider", "providerAccountId", "refresh_token", "access_token", "expires_at", "expires_in", "token_type", "scope", "id_token", "session_state") VALUES (E'id ''with \\ marks"', 'oidc', 'example', E'Ä id ''with \\ marks"', 'e1.2026a.3TLMSkkhfMUGF46LXPu4HMGgRlhsPZTOeU0NuA', 'e1.2026a.sw9XRKfKR9U11ByH4HIiqSZM80rkUXS4F5MVkNXqsLWFJx6HE1kiV82FXQtrJMgAoVrnon4sBGDBd8JsMA', 4102444800, 3600, 'bearer', 'openid email', 'e1.2026a.w_HQxh4XSKqKDTOYnMNwpf4NZXRzCqOHbL9c4b_yWA_nZvhSKOXTvqyCS7voD5aYVIOfyQ4_6Gt4E6C8tOVs_ItSkAujUbPrndAB6YnohD1dzkpCZdwZmw', NULL);
--> statement-breakpoint
INSERT INTO "session" ("sessionToken", "userId", "expires") VALUES ('session of josé@exämple.com', '5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', '2040-02-29 23:59:59.999');
--> statement-breakpoint
INSERT INTO "session" ("sessionToken", "userId", "expires") VALUES ('s1.Gln6FvLywhIEkvrEdZTCHTP8W3G2zka7UYH14g5OG2g', E'id ''with \\ marks"', '2040-02-29 23:59:59.999');
--> statement-breakpoint
INSERT INTO "verificationToken" ("identifier", "token", "expires") VALUES ('josé@exämple.com', 'token of josé@exämple.com', '2026-01-02 03:04:05.006');
--> statement-breakpoint
INSERT INTO "verificationToken" ("identifier", "token", "expires") VALUES ('jose@exämple.com', 'token of jose@exämple.com', '2026-01-02 03:04:05.006');
--> statement-breakpoint
INSERT INTO "authenticator" ("userId", "credentialID", "providerAccountId", "credentialPublicKey", "counter", "credentialDeviceType", "credentialBackedUp", "transports") VALUES ('5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', 'credential of josé@exämple.com', 'Ä 5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', 'pQECAyYgASFYIA+/=', 4294967295, 'multiDevice', true, NULL);
--> statement-breakpoint
INSERT INTO "authenticator" ("userId", "credentialID", "providerAccountId", "credentialPublicKey", "counter", "credentialDeviceType", "credentialBackedUp", "transports") VALUES (E'id ''with \\ marks"', 'credential of jose@exämple.com', E'Ä id ''with \\ marks"', 'pQECAyYgASFYIA+/=', 4294967295, 'multiDevice', true, NULL);
