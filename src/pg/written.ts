import { checking } from '../checks.js'
import { pg } from './dialect.js'

/** For tables written by hand, where it does not come with the tables. */
export const dialect = checking(pg)
