// Needs Drizzle 0.45.
import { createInsertSchema } from 'drizzle-zod'
import { describeZod } from '../support/zod.js'

describeZod(createInsertSchema)
