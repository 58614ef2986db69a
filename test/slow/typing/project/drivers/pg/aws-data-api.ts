import { drizzle } from 'drizzle-orm/aws-data-api/pg'

export const db = drizzle({ connection: { database: '', resourceArn: '', secretArn: '' } })
