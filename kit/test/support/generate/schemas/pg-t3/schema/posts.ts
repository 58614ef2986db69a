import { sql } from "drizzle-orm";

import { user } from "./auth-schema";
import { createTable } from "./create";

export const Post = createTable("post", (t) => ({
  id: t.uuid().notNull().primaryKey().defaultRandom(),
  title: t.varchar({ length: 256 }).notNull(),
  authorId: t.text().references(() => user.id),
  updatedAt: t.timestamp({ mode: "date", withTimezone: true }).$onUpdateFn(() => sql`now()`),
}));
