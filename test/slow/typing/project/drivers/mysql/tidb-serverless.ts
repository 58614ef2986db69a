import { connect } from '@tidbcloud/serverless'
import { drizzle } from 'drizzle-orm/tidb-serverless'

export const db = drizzle({ client: connect({ url: '' }) })
