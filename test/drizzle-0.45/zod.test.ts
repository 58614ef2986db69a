import { createInsertSchema } from 'drizzle-zod'
import { describeZod } from '../helpers/zod.js'

describeZod(createInsertSchema)
