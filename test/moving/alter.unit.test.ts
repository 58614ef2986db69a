import { describe, expect, test } from 'vitest'
import type { Syntax } from '../../src/cli/moving/alter.js'
import { alterSteps, isUnfilled } from '../../src/cli/moving/alter.js'
import type { Key, Move, NewColumn, NewTable, OldColumn, OldForeignKey, OldTable, TablePath } from '../../src/cli/moving/model.js'

// Which changes the plan makes in databases with ALTER TABLE, and in which order. Here they are written in a short syntax of the tests' own.

const path = ({ schema, name }: TablePath) => (schema ? `${schema}.${name}` : name)
const keyText = ({ kind, name, columns }: Key) => `${kind} ${name} (${columns.join(', ')})`

const syntax: Syntax = {
  quote: (name) => name,
  path,
  isSameType: (old, now) => old.type === now.type,
  renameTable: (from, to) => `rename ${path(from)} to ${path(to)}`,
  prepareType: (table, changes) => changes.filter(({ type }) => type === 'bytes').map(({ old }) => `prepare ${path(table)}.${old.name}`),
  changeType: ({ old, type, notNull, isOwn }) => [`${isOwn ? 'own ' : ''}${old.name} ${old.type} to ${type}${notNull ? ' not null' : ''}`],
  changeNull: ({ name }, notNull) => `${name} ${notNull ? 'not null' : 'null'}`,
  dropForeignKey: ({ table, name }) => `drop ${path(table)}.${name}`,
  dropPrimaryKey: (key) => `drop ${keyText(key)}`,
  addKey: (key) => `ADD ${keyText(key)}`,
  adoptKey: (table, old, now) => (old.name === now.name ? [] : [`rename key ${path(table)}.${old.name} to ${now.name}`]),
  createIndex: (table, key) => `create ${keyText(key)} on ${path(table)}`,
  columnDefinition: ({ name, type }) => `${name} ${type}`,
}

/** Tables of the schema `s` by their names, others with theirs. */
const at = (name: string): TablePath =>
  name.includes('.') ? { schema: name.split('.')[0] ?? '', name: name.split('.')[1] ?? '' } : { schema: 's', name }

/** A column such as `plan text not null default x filled used by v`. */
function column(text: string): OldColumn {
  const [, name = '', type = '', notNull, value, filled, user] =
    /^(\w+) (\w+)( not null)?(?: default (\w+))?( filled)?(?: used by (\w+))?$/.exec(text) ?? []
  return { name, type, notNull: !!notNull, default: value, isFilled: !!filled, holds: 'other', ...(user && { usedBy: [user] }) }
}

/** A key such as `primary pk (a, b)` or `constraint c (a)`, which is a unique constraint. */
function key(text: string): Key {
  const [, kind, name = '', columns = ''] = /^(\w+) (\w+) \((.*)\)$/.exec(text) ?? []
  return {
    kind: kind === 'constraint' ? 'unique' : (kind as Key['kind']),
    name,
    columns: columns.split(', '),
    isConstraint: kind === 'primary' || kind === 'constraint',
  }
}

/** A foreign key such as `fk: post (author) > user (id) on delete cascade`. */
function foreignKey(text: string): OldForeignKey {
  const [, name = '', table = '', columns = '', target = '', targetColumns = '', rules = ''] =
    /^(\w+): (\S+) \((.*?)\) > (\S+) \((.*?)\)(.*)$/.exec(text) ?? []
  return {
    name,
    table: at(table),
    columns: columns.split(', '),
    target: at(target),
    targetColumns: targetColumns.split(', '),
    rules: rules.toUpperCase(),
  }
}

const oldTable = (name: string, columns: string[], keys: string[] = [], storage?: string): OldTable => ({
  ...at(name),
  columns: columns.map(column),
  keys: keys.map(key),
  ...(storage && { storage }),
})

const ruleOf = (rules: string, event: string) =>
  new RegExp(`ON ${event} (CASCADE|SET NULL|RESTRICT|NO ACTION)`).exec(rules)?.[1]?.toLowerCase() ?? 'no action'

const newTable = (name: string, columns: string[], keys: string[] = [], foreignKeys: string[] = []): NewTable => ({
  model: 'users',
  path: at(name),
  table: {} as never,
  columns: columns.map((text) => ({ ...column(text), field: '', holds: { holds: 'other' } }) as unknown as NewColumn),
  keys: keys.map(key),
  foreignKeys: foreignKeys
    .map(foreignKey)
    .map(({ rules, ...one }) => ({ ...one, onDelete: ruleOf(rules, 'DELETE'), onUpdate: ruleOf(rules, 'UPDATE') })),
})

/** Columns keep their names, except for those that `renamed` names. */
function move(old: OldTable, now: NewTable, renamed: Record<string, string> = {}): Move {
  const columns = now.columns.map((one) => ({ now: one, old: old.columns.find(({ name }) => (renamed[name] ?? name) === one.name) }))
  return { now, old, columns, others: old.columns.filter((one) => !columns.some((each) => each.old === one)) }
}

function plan(moves: Move[], { foreignKeys = [] as string[], tables = [] as OldTable[], missing = [] as NewTable[] } = {}) {
  const database = { schemaOf: () => '', tables: [...moves.map(({ old }) => old), ...tables], foreignKeys: foreignKeys.map(foreignKey) }
  const { steps, notices } = alterSteps(syntax, moves, missing, database, { about: 'Rows', sql: ['rows'] })
  const statements = steps.flatMap(({ sql }) => sql).map((text) => text.replaceAll(/\s*\n\s*/g, ' '))
  expect(statements[0]).toBe('rows')
  return { statements: statements.slice(1), notices, steps }
}

const user = (id = 'id text not null', ...more: string[]) => oldTable('user', [id, ...more], ['primary pk (id)'])
const newUser = (id = 'id text not null', ...more: string[]) => newTable('user', [id, ...more], ['primary pk (id)'])

test('tables that are as the code declares them stay as they are', () => {
  const session = ['token text not null', 'user text not null']
  const keys = ['primary pk (token)', 'constraint c (user, token)', 'index i (user)', 'unique u (token)']
  const fk = 'fk: session (user) > user (id) on delete cascade'
  const moves = [move(user(), newUser()), move(oldTable('session', session, keys), newTable('session', session, keys, [fk]))]
  expect(plan(moves, { foreignKeys: [fk] })).toMatchObject({ statements: [], notices: [] })
})

describe('names', () => {
  test('change first, and keys and foreign keys follow them', () => {
    const old = oldTable('Session', ['token text not null', 'userId text not null'], ['primary p (token)', 'unique u (userId)'])
    const now = newTable(
      'session',
      ['token text not null', 'user_id text not null'],
      ['primary pk (token)', 'unique u (user_id)'],
      ['fk: session (user_id) > user (id) on delete cascade'],
    )
    const moves = [
      move(oldTable('app.User', ['ID text not null'], ['primary p (ID)']), newUser(), { ID: 'id' }),
      move(old, now, { userId: 'user_id' }),
    ]
    const foreignKeys = ['fk: Session (userId) > app.User (ID) on delete cascade', 'own: post (author) > app.User (ID)']
    expect(plan(moves, { foreignKeys, tables: [oldTable('post', ['author text'])] })).toMatchObject({
      statements: [
        'rename app.User to s.user',
        'ALTER TABLE s.user RENAME COLUMN ID TO id;',
        'rename s.Session to s.session',
        'ALTER TABLE s.session RENAME COLUMN userId TO user_id;',
      ],
      notices: [],
    })
  })

  test('of tables in other schemas do not count', () => {
    const foreignKeys = ['fk: post (author) > other.user (id)']
    const moves = [move(user('id int'), newUser('id text'))]
    expect(plan(moves, { foreignKeys, tables: [oldTable('post', ['author int'])] })).toMatchObject({
      statements: ['ALTER TABLE s.user id int to text;'],
      notices: [],
    })
  })
})

describe('columns', () => {
  test.each([
    ['gets another type', 'age int', 'age text', 'age int to text'],
    ['gets another type and must not be null', 'age int', 'age text not null', 'age int to text not null'],
    ['must not be null', 'age int', 'age int not null', 'age not null'],
    ['may be null', 'age int not null', 'age int', 'age null'],
    ['is prepared for its type', 'age int', 'age bytes', 'age int to bytes'],
  ])('one %s', (_, old, now, action) => {
    const { statements } = plan([move(user(undefined, old), newUser(undefined, now))])
    expect(statements).toEqual([...(now.includes('bytes') ? ['prepare s.user.age'] : []), `ALTER TABLE s.user ${action};`])
  })

  test('one that is renamed, too, changes under its new name', () => {
    const renamed = { Age: 'age', Plan: 'plan' }
    const { statements } = plan([
      move(user(undefined, 'Age int', 'Plan text'), newUser(undefined, 'age text', 'plan text not null'), renamed),
    ])
    expect(statements.at(-1)).toBe('ALTER TABLE s.user age int to text, plan not null;')
  })

  test('those that are missing are added', () => {
    const { statements } = plan([move(user(), newUser(undefined, 'age int', 'plan text'))])
    expect(statements).toEqual(['ALTER TABLE s.user ADD COLUMN age int, ADD COLUMN plan text;'])
    const first = newTable('user', ['age int', 'id text not null'], ['primary pk (id)'])
    expect(plan([move(user(), first)]).statements).toEqual(['ALTER TABLE s.user ADD COLUMN age int;'])
  })

  test('those of the app may be null if nothing fills them', () => {
    const others = ['a int not null', 'b int', 'c int not null default x', 'd int not null filled']
    expect(plan([move(user(undefined, ...others), newUser())]).statements).toEqual(['ALTER TABLE s.user a null;'])
    expect(others.map((text) => isUnfilled(column(text)))).toEqual([true, false, false, false])
    expect(plan([move(user('id int', 'a int not null'), newUser('id text'))]).statements).toEqual([
      'ALTER TABLE s.user id int to text, a null;',
    ])
  })

  test('a change of a type says how the table is stored', () => {
    const stored = oldTable('user', ['id int not null', 'age int'], ['primary pk (id)'], 'STORAGE')
    expect(plan([move(stored, newUser('id text not null', 'age int'))]).statements).toEqual([
      'ALTER TABLE s.user id int to text not null, STORAGE;',
    ])
    expect(plan([move(stored, newUser('id int not null', 'age int not null'))]).statements).toEqual(['ALTER TABLE s.user age not null;'])
  })

  test('those that the code declares have the type of the code, and their foreign keys are off for a while', () => {
    const fk = 'fk: session (user) > user (id)'
    const statementsOf = (now: string) => {
      const session = oldTable('session', ['token int not null', 'user varchar'], ['primary pk (token)'])
      const moved = move(session, newTable('session', ['token text not null', now], ['primary pk (token)'], [fk]))
      return plan([move(user('id varchar', 'age int'), newUser('id text', 'age text')), moved], { foreignKeys: [fk] }).statements
    }
    const around = (session: string) => [
      'drop s.session.fk',
      'ALTER TABLE s.user id varchar to text, age int to text;',
      `ALTER TABLE s.session token int to text not null${session};`,
      'ALTER TABLE s.session ADD CONSTRAINT fk FOREIGN KEY (user) REFERENCES s.user (id) ON DELETE NO ACTION ON UPDATE NO ACTION;',
    ]
    expect(statementsOf('user varchar')).toEqual(around(''))
    expect(statementsOf('user text')).toEqual(around(', user varchar to text'))
  })

  test('those of the app that refer to one with another type change with it, also where their table gets another name', () => {
    const session = move(oldTable('Session', ['token text', 'device int']), newTable('session', ['token text']))
    const tables = [oldTable('post', ['author int'])]
    const foreignKeys = ['a: Session (device) > user (id)', 'b: post (author) > user (id)']
    const { statements, notices } = plan([move(user('id int'), newUser('id text')), session], { foreignKeys, tables })
    expect(statements).toContain('ALTER TABLE s.session own device int to text;')
    expect(statements).toContain('ALTER TABLE s.post own author int to text;')
    expect(notices).toMatchObject([
      { code: 'other-tables', severity: 'warning', table: 'post' },
      { code: 'other-columns', severity: 'warning', table: 'post', column: 'author' },
    ])
  })

  test('one that a view uses cannot change', () => {
    const used = (now: string) =>
      plan([move(user(undefined, 'age int used by v', 'plan text used by w'), newUser(undefined, now, 'plan text'))]).notices
    expect(used('age text')).toMatchObject([
      { code: 'in-use', severity: 'error', table: 'user', column: 'age', message: expect.stringMatching(/: v$/) },
    ])
    expect(used('age int')).toEqual([])
  })
})

describe('keys', () => {
  const columns = ['id int not null', 'token text not null', 'n int not null filled']
  const now = newTable('session', columns.slice(1, 2), ['primary pk (token)'])
  const keysOf = (old: string[], wanted: string[]) =>
    plan([move(oldTable('user', columns, old), newTable('user', columns, wanted))]).statements

  test.each([
    ['there is none', [], 'a null, ADD primary pk (token)'],
    ['it has another column', ['primary p (a)'], 'drop primary p (a), a null, ADD primary pk (token)'],
    ['it has more columns', ['primary p (token, a)'], 'drop primary p (token, a), a null, ADD primary pk (token)'],
    ['a counter must stay a key', ['primary p (n)'], 'drop primary p (n), a null, ADD primary pk (token), ADD unique session_n_key (n)'],
  ])('a primary key is replaced where %s', (_, keys, actions) => {
    const old = oldTable('session', ['token text not null', 'a int not null', 'n int not null filled'], keys)
    expect(plan([move(old, now)]).statements).toEqual([`ALTER TABLE s.session ${actions};`])
  })

  test('a primary key that tables refer to stays unique', () => {
    const old = oldTable('Session', ['ID int', 'b int', 'token text not null'], ['primary p (ID, b)'])
    const moved = move(old, newTable('session', ['id int', 'token text not null'], ['primary pk (token)']), { ID: 'id' })
    const statementsOf = (...foreignKeys: string[]) =>
      plan([moved], { foreignKeys, tables: [oldTable('device', ['a int', 'b int'])] }).statements
    expect(statementsOf('fk: device (a, b) > Session (ID, b)')).toEqual([
      'drop s.device.fk',
      'rename s.Session to s.session',
      'ALTER TABLE s.session RENAME COLUMN ID TO id;',
      'ALTER TABLE s.session drop primary p (id, b), ADD primary pk (token), ADD unique session_id_b_key (id, b);',
      'ALTER TABLE s.device ADD CONSTRAINT fk FOREIGN KEY (a, b) REFERENCES s.session (id, b);',
    ])
    for (const other of ['fk: device (a) > Session (token)', 'fk: device (a, b) > other (ID, b)'])
      expect(statementsOf(other).join()).not.toContain('session_id_b_key')
  })

  test('a table without a primary key in code keeps its own', () => {
    expect(keysOf(['primary p (id)'], [])).toEqual([])
    const unique = ['constraint c (token)']
    const moves = [move(oldTable('user', columns, ['primary p (id)', ...unique]), newTable('user', columns, unique))]
    expect(plan(moves, { foreignKeys: ['fk: post (author) > user (id)'] }).statements).toEqual([])
  })

  test('a primary key that comes after another key is the same', () => {
    const moves = [move(oldTable('user', columns, ['unique u (token)', 'primary p (id)']), newTable('user', columns, ['primary p (id)']))]
    expect(plan(moves, { foreignKeys: ['fk: post (author) > user (id)'] }).statements).toEqual([])
  })

  test.each([
    [
      'of the same columns gets the name of the code',
      ['constraint a (id, token)'],
      ['constraint b (id, token)'],
      ['rename key s.user.a to b'],
    ],
    ['with the right name is preferred', ['index a (id)', 'index b (id)'], ['index b (id)'], []],
    ['of columns in another order is another', ['index a (id, token)'], ['index a (token, id)'], ['create index a (token, id) on s.user']],
    ['of another kind is another', ['index a (id)'], ['unique a (id)'], ['create unique a (id) on s.user']],
    [
      'that is missing is added',
      [],
      ['constraint c (id)', 'index i (id)'],
      ['ALTER TABLE s.user ADD unique c (id);', 'create index i (id) on s.user'],
    ],
    ['that the code does not have stays', ['index a (id)', 'constraint c (id)'], [], []],
  ])('one %s', (_, old, wanted, statements) => {
    expect(keysOf(old, wanted)).toEqual(statements)
  })
})

describe('tables that are missing', () => {
  test('are created with constraints, then indexes, then foreign keys', () => {
    const keys = ['primary pk (a, b)', 'constraint c (b)', 'unique u (a)', 'index i (b)']
    const missing = [
      newTable('token', ['a text', 'b text'], keys, ['fk: token (a, b) > user (id, x) on delete set null on update cascade']),
    ]
    expect(plan([move(user(), newUser())], { missing }).statements).toEqual([
      'CREATE TABLE s.token ( a text, b text, primary pk (a, b), unique c (b) );',
      'create unique u (a) on s.token',
      'create index i (b) on s.token',
      'ALTER TABLE s.token ADD CONSTRAINT fk FOREIGN KEY (a, b) REFERENCES s.user (id, x) ON DELETE SET NULL ON UPDATE CASCADE;',
    ])
  })

  test('every step says what it is for', () => {
    expect(plan([move(user(), newUser())]).steps.map(({ about }) => about)).toContain('The table user')
  })
})
