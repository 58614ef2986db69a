UPDATE "account" SET "providerAccountId" = substr("providerAccountId", 1, length("providerAccountId") - 2)
WHERE "providerAccountId" GLOB '[1-9]*.0' AND "providerAccountId" NOT GLOB '*[^0-9]*.0'
  AND NOT EXISTS (
    SELECT 1 FROM "account" AS "same"
    WHERE "same"."provider" = "account"."provider"
      AND "same"."providerAccountId" = substr("account"."providerAccountId", 1, length("account"."providerAccountId") - 2)
  );
