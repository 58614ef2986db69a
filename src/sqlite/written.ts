import { checking } from '../checks.js'
import { sqlite } from './dialect.js'

/** For tables written by hand, where it does not come with the tables. */
export const dialect = checking(sqlite)
