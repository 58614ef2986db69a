import { Html } from './html.js'

const icon = (shape: string) => new Html(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${shape}</svg>`)

/** A drop with a keyhole. */
export const logo = icon(
  '<path class="fill" fill-rule="evenodd" d="M12 1.5S4 9.7 4 15a8 8 0 0 0 16 0C20 9.7 12 1.5 12 1.5Zm0 9.2a2.6 2.6 0 0 1 1.3 4.8l.9 4h-4.4l.9-4a2.6 2.6 0 0 1 1.3-4.8Z"/>',
)
export const openIdIcon = icon(
  '<path d="M12 3 4.5 6v5.5c0 4.6 3.1 8 7.5 9.5 4.4-1.5 7.5-4.9 7.5-9.5V6Z"/><path d="m8.8 12 2.3 2.3 4.2-4.4"/>',
)
export const passkeyIcon = icon(
  '<circle cx="9" cy="7.5" r="4"/><path d="M2.5 20.5c0-3.9 2.9-6.5 6.5-6.5 1.3 0 2.4.3 3.4.9"/><circle cx="17.5" cy="13" r="2.8"/><path d="M17.5 15.8v6l2-1.6"/>',
)
