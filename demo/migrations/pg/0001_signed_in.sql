ALTER TABLE "session" ADD "signedInAt" timestamp (3);
