import { pgTableCreator } from "drizzle-orm/pg-core";

// Several apps share one database.
export const createTable = pgTableCreator((name) => `acme_${name}`);
