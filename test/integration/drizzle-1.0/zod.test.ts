// Needs Drizzle 1.0.
import { createInsertSchema } from 'drizzle-orm/zod'
import { describeZod } from '../../support/zod.js'

describeZod(createInsertSchema)
