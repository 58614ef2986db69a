import { element } from './element.js'

/** Wraps a table so that it scrolls horizontally, with a button that says how many columns are hidden. */
export function scrollable(name: string, table: HTMLTableElement) {
  const scroller = element('div', { className: 'scroller', tabIndex: 0 }, table)
  scroller.setAttribute('role', 'region')
  scroller.setAttribute('aria-label', `Rows of ${name}`)
  const more = element('button', { className: 'more', type: 'button', hidden: true })
  more.addEventListener('click', () => scroller.scrollBy({ left: scroller.clientWidth * 0.8, behavior: 'smooth' }))

  const measure = () => {
    const end = scroller.getBoundingClientRect().right
    const hidden = [...table.querySelectorAll('th')].filter((cell) => cell.getBoundingClientRect().right > end + 1).length
    more.hidden = hidden === 0
    more.textContent = `${hidden} more ${hidden === 1 ? 'column' : 'columns'} →`
    more.setAttribute('aria-label', `${name}: scroll to ${hidden} more ${hidden === 1 ? 'column' : 'columns'}`)
    scroller.classList.toggle('more-before', scroller.scrollLeft > 0)
    scroller.classList.toggle('more-after', hidden > 0)
  }
  scroller.addEventListener('scroll', measure)
  new ResizeObserver(measure).observe(scroller)
  return { scroller, more }
}
