import { watchTables } from './live.js'
import { preparePasskeys } from './passkey.js'

preparePasskeys()
watchTables()
