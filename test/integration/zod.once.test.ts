import { createInsertSchema } from 'drizzle-zod'
import { describeZod } from '../support/zod.js'

describeZod(createInsertSchema)
