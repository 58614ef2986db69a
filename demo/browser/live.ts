import { element } from './element.js'
import { scrollable } from './scroller.js'

interface Table {
  name: string
  rows: { key: string; row: Record<string, unknown> }[]
}

interface State {
  tables?: Table[]
  problem?: string
  operations: { number: number; name: string; at: string; milliseconds: number; result: string }[]
}

/** What an empty table will contain. */
const contents: Record<string, string> = {
  user: 'One row for each person, from the first sign-in.',
  account: 'One row for each linked OpenID Connect account and passkey.',
  session: 'One row for each browser that is signed in.',
  verificationToken: 'One row for each link or code that was sent, until it is used.',
  authenticator: 'One row for each passkey: its public key and its counter.',
  verification: 'Stays empty: Better Auth signs the links that confirm an address.',
  organization: 'One row for each organization.',
  member: 'One row for each member of an organization, with a role.',
  invitation: 'One row for each invitation, also after it was accepted.',
}

/** Shows the tables that the server sends, and marks rows that are new, changed or deleted. */
export function watchTables() {
  const place = document.querySelector<HTMLElement>('#live')
  if (!place) return
  const { library = '', sessions } = place.dataset
  if (library === 'Better Auth') contents.account = 'One row for each way in of a user, such as a password.'
  if (sessions === 'jwt') contents.session = 'Stays empty: sessions are signed cookies.'
  const problem = element('p', { className: 'alert', hidden: true })
  problem.setAttribute('role', 'status')
  const tables = element('div', { className: 'tables' })
  const log = element('ol', { className: 'log', tabIndex: 0 })
  log.setAttribute('aria-label', 'Operations, the newest first')
  const noCalls = element('p', {
    className: 'empty',
    textContent: `Each call that ${library} makes to the adapter, with its result and duration.`,
  })
  const calls = element('div', { className: 'table' }, element('h2', { textContent: 'Operations', id: 'operations' }), noCalls)
  place.replaceChildren(element('p', { className: 'live', textContent: 'Live from the database' }), problem, tables, calls)

  // A sign-in goes through other pages. When this page is shown again, it marks what has changed since then.
  const shownBefore = `tables of ${library}`
  let before = JSON.parse(sessionStorage.getItem(shownBefore) ?? 'null') as Table[] | null
  const source = new EventSource('/live')
  source.onmessage = ({ data }) => {
    const state = JSON.parse(data) as State
    problem.hidden = !state.problem
    problem.textContent = state.problem ?? ''
    if (state.tables) {
      state.tables.forEach((table, index) => {
        const [shown, old] = [tables.children[index], before?.[index]]
        // A table that has not changed is not replaced, so it keeps its scroll position and the focus.
        if (!shown) tables.append(showTable(table, old))
        else if (JSON.stringify(table) !== JSON.stringify(old)) shown.replaceWith(showTable(table, old))
      })
      before = state.tables
      sessionStorage.setItem(shownBefore, JSON.stringify(before))
    }
    log.replaceChildren(...state.operations.toReversed().map(showOperation))
    if (state.operations.length > 0) noCalls.replaceWith(log)
  }
  source.onerror = () => {
    problem.hidden = false
    problem.textContent = 'The demo does not answer. This view goes on when it is back.'
  }
}

function showTable(now: Table, before: Table | undefined): HTMLElement {
  const old = new Map(before?.rows.map(({ key, row }) => [key, row]))
  const current = new Map(now.rows.map(({ key, row }) => [key, row]))
  // Rows are sent newest first. A deleted row fades out where it was.
  const known = before?.rows.map(({ key, row }) => ({ key, row: current.get(key) ?? row })) ?? []
  const shown = [...now.rows.filter(({ key }) => !old.has(key)), ...known]
  const columns = Object.keys(shown[0]?.row ?? {}).filter((name) => shown.some(({ row }) => row[name] !== null))

  const lines = shown.map(({ key, row }) => {
    const previous = old.get(key)
    const cells = columns.map((name) => {
      const isChanged = previous && previous[name] !== row[name]
      const value = String(row[name] ?? '')
      return element('td', { textContent: shorten(name, value), title: value, className: isChanged ? 'changed' : '' })
    })
    const state = !current.has(key) ? 'gone' : before && !previous ? 'new' : ''
    const line = element('tr', { className: state }, ...cells)
    if (state === 'gone') line.addEventListener('animationend', () => section.replaceWith(showTable(now, now)))
    return line
  })

  const count = element('small', { textContent: String(now.rows.length) })
  const title = element('h2', { textContent: `${now.name} ` }, count)
  const section = element('div', { className: 'table' }, title)
  section.dataset.table = now.name
  if (lines.length === 0) section.append(element('p', { className: 'empty', textContent: contents[now.name] ?? '' }))
  else {
    const names = columns.map((column) => element('th', { textContent: column, scope: 'col' }))
    const table = element('table', {}, element('thead', {}, element('tr', {}, ...names)), element('tbody', {}, ...lines))
    const { scroller, more } = scrollable(now.name, table)
    section.append(more, scroller)
  }
  return section
}

/** Ids are long, and their first characters tell them apart. The title of the cell has the whole id. */
const shorten = (name: string, value: string) => (/id$/i.test(name) && value.length > 12 ? `${value.slice(0, 8)}…` : value)

function showOperation({ number, name, at, milliseconds, result }: State['operations'][number]): HTMLElement {
  return element(
    'li',
    {},
    element('span', { textContent: String(number) }),
    element('time', { textContent: at.slice(11, 23), dateTime: at }),
    element('code', { textContent: name }),
    element(
      'span',
      { className: 'outcome' },
      element('span', { textContent: result }),
      element('span', { textContent: `${milliseconds.toFixed(1)} ms` }),
    ),
  )
}
