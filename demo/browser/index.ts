import { prepareFields } from './field.js'
import { prepareLink } from './link.js'
import { watchTables } from './live.js'
import { preparePasskeys } from './passkey.js'

prepareFields()
prepareLink()
preparePasskeys()
watchTables()
