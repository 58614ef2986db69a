import type { Html } from './html.js'
import { html } from './html.js'

/** The parts of an email address between which a line may end. */
export const partsOf = (address: string): string[] => address.split(/(?=@)|(?<=[.+_-])/)

/** An address that is broken between its parts if it is too long for its line. */
export const breakable = (address: string | undefined): Html =>
  html`${partsOf(address ?? '').map((part, index) => (index === 0 ? part : html`<wbr>${part}`))}`
