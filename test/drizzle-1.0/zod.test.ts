import { createInsertSchema } from 'drizzle-orm/zod'
import { describeZod } from '../helpers/zod.js'

describeZod(createInsertSchema)
