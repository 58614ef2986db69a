import { describe, expect, test } from 'vitest'
import type { Key, Move, NewColumn, NewTable, OldColumn, OldForeignKey, OldTable } from '../../src/cli/moving/model.js'
import { pg } from '../../src/cli/moving/pg.js'

// What the plan does with foreign keys: those of the code, and those of the app's own tables, whose columns must have the type of what they refer to.

const at = (name: string) => ({ schema: 's', name })
const types: Record<string, OldColumn['holds']> = { int: 'integer', text: 'text', uuid: 'uuid' }

/** Columns such as `id int, author int not null default 1 used by v`. */
const columnsOf = (text: string): OldColumn[] =>
  text.split(', ').map((one) => {
    const [, name = '', type = '', notNull, value, user] = /^(\w+) (\w+)( not null)?(?: default (\w+))?(?: used by (\w+))?$/.exec(one) ?? []
    return { name, type, holds: types[type] ?? 'other', notNull: !!notNull, default: value, isFilled: false, usedBy: user ? [user] : [] }
  })

const primary = (columns: string[]): Key => ({ kind: 'primary', name: 'pk', columns, isConstraint: true })

/** The first column is the primary key. */
function table(name: string, text: string): OldTable {
  const columns = columnsOf(text)
  return { ...at(name), columns, keys: [primary([columns[0]?.name ?? ''])] }
}

/** A foreign key such as `fk: post (author) > user (id) ON DELETE CASCADE`. */
function foreignKey(text: string): OldForeignKey {
  const [, name = '', from = '', columns = '', target = '', targetColumns = '', rules = ''] =
    /^(\w+): (\w+) \((.*?)\) > (\w+) \((.*?)\)(.*)$/.exec(text) ?? []
  return { name, table: at(from), columns: columns.split(', '), target: at(target), targetColumns: targetColumns.split(', '), rules }
}

const ruleIn = (rules: string, event: string) =>
  new RegExp(`ON ${event} (\\w+( NULL| ACTION| DEFAULT)?)`).exec(rules)?.[1]?.toLowerCase() ?? 'no action'

/** The table as the code has it: the same with other types. The names of some columns may be others. */
function moved(old: OldTable, text: string, foreignKeys: string[] = [], renamed: Record<string, string> = {}): Move {
  const columns = columnsOf(text).map((one) => ({ ...one, holds: { holds: one.holds }, field: one.name }) as unknown as NewColumn)
  const now: NewTable = {
    model: 'users',
    path: at(old.name.toLowerCase()),
    table: {} as never,
    columns,
    keys: [primary([columns[0]?.name ?? ''])],
    foreignKeys: foreignKeys
      .map(foreignKey)
      .map(({ rules, ...key }) => ({ ...key, onDelete: ruleIn(rules, 'DELETE'), onUpdate: ruleIn(rules, 'UPDATE') })),
  }
  const pairs = columns.map((column) => ({ now: column, old: old.columns.find(({ name }) => (renamed[name] ?? name) === column.name) }))
  return { now, old, columns: pairs, others: old.columns.filter((column) => !pairs.some((pair) => pair.old === column)) }
}

function plan(moves: Move[], foreignKeys: string[], tables: OldTable[] = []) {
  const database = { schemaOf: () => '', tables: [...moves.map(({ old }) => old), ...tables], foreignKeys: foreignKeys.map(foreignKey) }
  const { steps, notices } = pg.steps(moves, [], database, { about: '', sql: [] })
  const short = (text: string) => text.replaceAll(/\n\s*/g, ' ').replaceAll('"s".', '').replaceAll('"', '').replaceAll('ALTER TABLE ', '')
  return {
    statements: steps.flatMap(({ sql }) => sql).map(short),
    notices: notices.map(({ code, table: name, column }) => [code, name, column].filter(Boolean).join(' ')),
    messages: notices.map(({ message }) => message),
  }
}

const user = table('user', 'id int not null')
const same = moved(user, 'id int not null')
const changed = moved(user, 'id text not null')

describe('foreign keys of the code', () => {
  const session = table('session', 'token text not null, userId int')
  const wanted = (rules: string) => moved(session, 'token text not null, userId int', [`fk: session (userId) > user (id)${rules}`])
  const add = (rules: string) => `session ADD CONSTRAINT fk FOREIGN KEY (userId) REFERENCES user (id) ${rules};`

  test.each([
    ['ON DELETE CASCADE', 'ON DELETE CASCADE'],
    ['ON DELETE CASCADE', 'ON UPDATE NO ACTION ON DELETE CASCADE'],
    ['ON DELETE RESTRICT', ''],
    ['ON DELETE NO ACTION', 'ON DELETE RESTRICT ON UPDATE RESTRICT'],
    ['ON UPDATE SET NULL', 'ON UPDATE SET NULL ON DELETE NO ACTION'],
    ['ON DELETE SET DEFAULT', 'ON DELETE SET DEFAULT'],
  ])('%s is the same as %s', (code, database) => {
    expect(plan([same, wanted(` ${code}`)], [`fk: session (userId) > user (id) ${database}`]).statements).toEqual([])
  })

  test.each([
    ['ON DELETE CASCADE', '', 'ON DELETE CASCADE ON UPDATE NO ACTION'],
    ['ON DELETE CASCADE', ' ON DELETE SET NULL', 'ON DELETE CASCADE ON UPDATE NO ACTION'],
    ['ON UPDATE CASCADE', ' ON DELETE CASCADE', 'ON DELETE NO ACTION ON UPDATE CASCADE'],
    ['ON DELETE CASCADE', ' ON DELETE CASCADE ON UPDATE CASCADE', 'ON DELETE CASCADE ON UPDATE NO ACTION'],
  ])('%s replaces "%s"', (code, database, rules) => {
    expect(plan([same, wanted(` ${code}`)], [`fk: session (userId) > user (id)${database}`])).toMatchObject({
      statements: ['session DROP CONSTRAINT fk;', add(rules)],
      notices: [],
    })
  })

  test('one with another name is replaced, one that is missing is added', () => {
    const rules = 'ON DELETE NO ACTION ON UPDATE NO ACTION'
    expect(plan([same, wanted('')], ['other: session (userId) > user (id)']).statements).toEqual([
      'session DROP CONSTRAINT other;',
      add(rules),
    ])
    expect(plan([same, wanted('')], []).statements).toEqual([add(rules)])
  })

  test.each([
    'session (userId) > user (other)',
    'session (token) > user (id)',
    'session (userId) > team (id)',
    'post (userId) > user (id)',
  ])('%s is another one, and stays', (other) => {
    expect(plan([same, wanted('')], [`fk: ${other}`]).statements).toHaveLength(1)
  })

  test('one of a table whose primary key is replaced is off for a while', () => {
    const keyless = moved({ ...session, keys: [] }, 'token text not null, userId int', ['fk: session (userId) > user (id)'])
    expect(plan([same, keyless], ['fk: session (userId) > user (id)'])).toMatchObject({
      statements: [
        'session DROP CONSTRAINT fk;',
        'session ADD CONSTRAINT pk PRIMARY KEY (token);',
        add('ON DELETE NO ACTION ON UPDATE NO ACTION'),
      ],
      notices: [],
    })
  })

  test('one of the old tables is dropped under its old names', () => {
    const old = table('Session', 'token text not null, user_id int')
    const now = moved(old, 'token text not null, userId int', ['fk: session (userId) > user (id)'], { user_id: 'userId' })
    const { statements } = plan([same, now], ['old: Session (user_id) > user (id)'])
    expect(statements[0]).toBe('Session DROP CONSTRAINT old;')
    expect(statements.at(-1)).toBe(add('ON DELETE NO ACTION ON UPDATE NO ACTION'))
    expect(statements).toHaveLength(4)
  })
})

describe('columns of other tables that refer to one whose type changes', () => {
  const post = table('post', 'id int not null, author int not null default 1')
  const fk = 'fk: post (author) > user (id) ON DELETE RESTRICT DEFERRABLE'
  const back = 'ADD CONSTRAINT fk FOREIGN KEY (author) REFERENCES user (id) ON DELETE RESTRICT DEFERRABLE;'

  test('change with it, keep their default, and get their foreign key back', () => {
    expect(plan([changed], [fk], [table('team', 'id int'), post])).toEqual({
      statements: [
        'post DROP CONSTRAINT fk;',
        'post ALTER COLUMN author DROP DEFAULT, ALTER COLUMN author TYPE text USING author::text, ALTER COLUMN author SET DEFAULT (1)::text;',
        'user ALTER COLUMN id TYPE text USING id::text;',
        `post ${back}`,
      ],
      notices: ['other-tables post', 'other-columns post author'],
      messages: [expect.stringMatching(/foreign key fk and adds it again/), expect.stringMatching(/from int to text/)],
    })
  })

  test('change through any number of tables, in any order', () => {
    const tables = [table('avatar', 'owner int, size int'), table('profile', 'user int')]
    const { statements, notices, messages } = plan(
      [changed],
      ['b: avatar (owner) > profile (user)', 'a: profile (user) > user (id)'],
      tables,
    )
    expect(statements.slice(0, 5)).toEqual([
      'avatar DROP CONSTRAINT b;',
      'profile DROP CONSTRAINT a;',
      'profile ALTER COLUMN user TYPE text USING user::text;',
      'avatar ALTER COLUMN owner TYPE text USING owner::text;',
      'user ALTER COLUMN id TYPE text USING id::text;',
    ])
    expect(notices).toEqual(['other-tables avatar', 'other-tables profile', 'other-columns profile user', 'other-columns avatar owner'])
    expect(messages.slice(0, 2)).toEqual([expect.stringContaining('foreign key b and'), expect.stringContaining('foreign key a and')])
  })

  test('are those of the key alone that refers to it', () => {
    const keys = ['fk: post (id, author) > user (team, id)', 'other: post (id) > team (id)']
    const tables = [post, table('team', 'id int')]
    const { statements, notices, messages } = plan([moved(table('user', 'id int, team int'), 'id text, team int')], keys, tables)
    expect(statements).toEqual([
      'post DROP CONSTRAINT fk;',
      expect.stringMatching(/^post ALTER COLUMN author .* TYPE text/),
      'user ALTER COLUMN id TYPE text USING id::text;',
      'post ADD CONSTRAINT fk FOREIGN KEY (id, author) REFERENCES user (team, id);',
    ])
    expect(notices).toEqual(['other-tables post', 'other-columns post author'])
    expect(messages[0]).toContain('foreign key fk ')
  })

  test('change once, where several keys are on them', () => {
    const keys = [fk, 'second: post (author) > user (id)']
    const { statements, messages } = plan([changed], keys, [post])
    expect(statements.filter((text) => text.includes('TYPE'))).toHaveLength(2)
    expect(statements.filter((text) => text.includes('ADD CONSTRAINT'))).toHaveLength(2)
    expect(messages[0]).toMatch(/foreign keys fk, second and adds them again/)
  })

  test('of a table in code change, too, where the code does not declare them', () => {
    const session = table('session', 'token text, userId int, device int')
    const now = moved(session, 'token text, userId text', ['fk: session (userId) > user (id)'])
    const { statements, notices } = plan([changed, now], ['fk: session (userId) > user (id)', 'own: session (device) > user (id)'])
    expect(statements).toEqual([
      'session DROP CONSTRAINT fk;',
      'session DROP CONSTRAINT own;',
      'user ALTER COLUMN id TYPE text USING id::text;',
      'session ALTER COLUMN userId TYPE text USING userId::text, ALTER COLUMN device TYPE text USING device::text;',
      'session ADD CONSTRAINT fk FOREIGN KEY (userId) REFERENCES user (id) ON DELETE NO ACTION ON UPDATE NO ACTION;',
      'session ADD CONSTRAINT own FOREIGN KEY (device) REFERENCES user (id);',
    ])
    expect(notices).toEqual([])
  })

  test('of a table that cannot be read stay, and views in use are an error', () => {
    expect(plan([changed], ['fk: gone (x) > user (id)'], []).statements).toHaveLength(3)
    expect(plan([changed], [fk], [table('post', 'id int, author int used by v')]).notices).toContain('in-use post author')
  })

  test('stay where nothing changes', () => {
    expect(plan([same], [fk], [post])).toMatchObject({ statements: [], notices: [] })
  })

  test('stay where the primary key alone is replaced, and only their foreign keys are off for a while', () => {
    const old = { ...table('user', 'id int'), keys: [] }
    expect(plan([moved(old, 'id int')], [fk, 'own: post (id) > team (id)'], [post])).toMatchObject({
      statements: ['post DROP CONSTRAINT fk;', 'user ADD CONSTRAINT pk PRIMARY KEY (id);', `post ${back}`],
      notices: ['other-tables post'],
    })
  })
})
