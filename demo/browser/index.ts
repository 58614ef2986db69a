import { prepareLink } from './link.js'
import { watchTables } from './live.js'
import { preparePasskeys } from './passkey.js'

prepareLink()
preparePasskeys()
watchTables()
