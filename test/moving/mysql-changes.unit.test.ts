import { describe, expect, test } from 'vitest'
import { inspectors } from '../../src/cli/core.js'
import type { Key, Move, NewColumn, NewTable, OldColumn, OldForeignKey, OldTable } from '../../src/cli/moving/model.js'
import { mysql } from '../../src/cli/moving/mysql.js'

// How MySQL writes changes of names, keys and types.

const { parseType } = inspectors.mysql
const here = (name: string) => ({ schema: '', name })

function column(name: string, type: string, more: Partial<OldColumn> = {}): OldColumn {
  return { ...parseType(type), name, type, notNull: false, isFilled: false, ...more }
}
const newColumn = (name: string, type: string, more: Partial<NewColumn> = {}) =>
  ({ field: name, name, type, holds: parseType(type), notNull: false, hasDefault: false, ...more }) as NewColumn

const key = (kind: Key['kind'], name: string, columns: string[], isConstraint = true): Key => ({ kind, name, columns, isConstraint })

function table(path: { schema: string; name: string }, columns: NewColumn[], keys: Key[] = []): NewTable {
  return { model: 'users', path, table: {} as never, columns, keys, foreignKeys: [] }
}

function statementsOf(moves: Move[], { missing = [] as NewTable[], foreignKeys = [] as OldForeignKey[], tables = [] as OldTable[] } = {}) {
  const database = { schemaOf: () => '', tables: [...moves.map(({ old }) => old), ...tables], foreignKeys }
  const { steps } = mysql.steps(moves, missing, database, { about: '', sql: [] })
  return steps.flatMap(({ sql }) => sql).map((text) => text.replaceAll(/\n\s*/g, ' '))
}

test('tables are renamed, with the schema of those outside of the current one', () => {
  const old = { schema: 'auth', name: 'the `User`', columns: [column('ID', 'int')], keys: [] }
  const now = table(here('user'), [newColumn('id', 'int')])
  expect(statementsOf([{ now, old, columns: [{ now: now.columns[0] as NewColumn, old: old.columns[0] }], others: [] }])).toEqual([
    'RENAME TABLE `auth`.`the ``User``` TO `user`;',
    'ALTER TABLE `user` RENAME COLUMN `ID` TO `id`;',
  ])
})

test('keys are added, replaced and renamed', () => {
  const now = table(
    here('user'),
    [newColumn('id', 'int'), newColumn('email', 'int'), newColumn('plan', 'int', { notNull: true, default: '7' }), newColumn('age', 'int')],
    [
      key('primary', '', ['id', 'email']),
      key('unique', 'u', ['id']),
      key('unique', 'added', ['email', 'id']),
      key('unique', 'same', ['email']),
      key('index', 'i', ['id'], false),
      key('unique', 'ui', ['age', 'id'], false),
    ],
  )
  const old = {
    ...here('user'),
    columns: [column('id', 'int'), column('email', 'int')],
    keys: [key('primary', 'PRIMARY', ['id']), key('unique', 'old', ['id']), key('unique', 'same', ['email'])],
  }
  const columns = now.columns.map((one) => ({ now: one, old: old.columns.find(({ name }) => name === one.name) }))
  expect(statementsOf([{ now, old, columns, others: [] }])).toEqual([
    'ALTER TABLE `user` DROP PRIMARY KEY, ADD COLUMN `plan` int NOT NULL DEFAULT 7, ADD COLUMN `age` int, ADD PRIMARY KEY (`id`, `email`), ADD CONSTRAINT `added` UNIQUE (`email`, `id`);',
    'ALTER TABLE `user` RENAME INDEX `old` TO `u`;',
    'CREATE INDEX `i` ON `user` (`id`);',
    'CREATE UNIQUE INDEX `ui` ON `user` (`age`, `id`);',
  ])
})

test('a missing table is made with its keys', () => {
  const missing = [
    table(
      { schema: 'auth', name: 'token' },
      [newColumn('a', 'int', { notNull: true })],
      [key('primary', '', ['a']), key('unique', 'u', ['a'])],
    ),
  ]
  expect(statementsOf([], { missing })).toEqual([
    'CREATE TABLE `auth`.`token` ( `a` int NOT NULL, PRIMARY KEY (`a`), CONSTRAINT `u` UNIQUE (`a`) );',
  ])
})

test('a column that refers to a changed one is all that it was, with another type', () => {
  const old = { ...here('user'), columns: [column('id', 'timestamp')], keys: [] }
  const now = table(here('user'), [newColumn('id', 'datetime(3)')])
  const author = column('author', 'timestamp', { notNull: true, default: 'now()', rest: ` COMMENT 'who'` })
  const post = { schema: 'blog', name: 'post', columns: [author], keys: [], storage: 'ROW_FORMAT=DYNAMIC' }
  const foreignKey = {
    name: 'of user',
    table: { schema: 'blog', name: 'post' },
    columns: ['author'],
    target: here('user'),
    targetColumns: ['id'],
    rules: ' ON DELETE CASCADE',
  }
  const moves = [{ now, old, columns: [{ now: now.columns[0] as NewColumn, old: old.columns[0] }], others: [] }]
  expect(statementsOf(moves, { foreignKeys: [foreignKey], tables: [post] })).toEqual([
    'ALTER TABLE `blog`.`post` DROP FOREIGN KEY `of user`;',
    "ALTER TABLE `blog`.`post` MODIFY `author` datetime(3) NOT NULL DEFAULT now() COMMENT 'who', ROW_FORMAT=DYNAMIC;",
    'ALTER TABLE `user` MODIFY `id` datetime(3) NULL;',
    'ALTER TABLE `blog`.`post` ADD CONSTRAINT `of user` FOREIGN KEY (`author`) REFERENCES `user` (`id`) ON DELETE CASCADE;',
  ])
})

test('a text of another character set is made utf8mb4 before it becomes bytes, all columns at once', () => {
  const latin = { characterSet: 'latin1', collation: 'latin1_swedish_ci', notNull: true }
  const old = {
    ...here('user'),
    columns: [column('a', 'varchar(9)', latin), column('b', 'char(9)', { ...latin, default: `'x'` })],
    keys: [],
  }
  const now = table(here('user'), [newColumn('a', 'varbinary(36)'), newColumn('b', 'VARBINARY(36)', { notNull: true })])
  const columns = now.columns.map((one, index) => ({ now: one, old: old.columns[index] }))
  expect(statementsOf([{ now, old, columns, others: [] }])).toEqual([
    "ALTER TABLE `user` MODIFY `a` varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, MODIFY `b` char(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'x';",
    "ALTER TABLE `user` MODIFY `a` varbinary(36) NULL, MODIFY `b` VARBINARY(36) NOT NULL DEFAULT 'x';",
  ])
})

test('a column that nothing fills may be null, and keeps its character set', () => {
  const plan = column('plan', 'varchar(9)', { notNull: true, characterSet: 'latin1', collation: 'latin1_bin' })
  const others = [plan, column('age', 'int', { notNull: true })]
  const old = { ...here('user'), columns: others, keys: [] }
  expect(statementsOf([{ now: table(here('user'), []), old, columns: [], others }])).toEqual([
    'ALTER TABLE `user` MODIFY `plan` varchar(9) CHARACTER SET latin1 COLLATE latin1_bin NULL, MODIFY `age` int NULL;',
  ])
})

test('a column has the default that the code declares, and its own where the code has none', () => {
  const old = {
    ...here('user'),
    columns: [column('since', 'timestamp', { default: 'current_timestamp()' }), column('a', 'int', { default: '1' }), column('b', 'int')],
    keys: [],
  }
  const now = table(here('user'), [
    newColumn('since', 'datetime(3)', { notNull: true, default: '(now(3))' }),
    newColumn('a', 'bigint'),
    newColumn('b', 'bigint', { default: '7' }),
  ])
  const columns = now.columns.map((one, index) => ({ now: one, old: old.columns[index] }))
  expect(statementsOf([{ now, old, columns, others: [] }])).toEqual([
    'ALTER TABLE `user` MODIFY `since` datetime(3) NOT NULL DEFAULT (now(3)), MODIFY `a` bigint NULL DEFAULT 1, MODIFY `b` bigint NULL DEFAULT 7;',
  ])
})

test('an address that nobody receives mail at is made of the id', () => {
  expect(mysql.noAddress('`id`')).toBe("CONCAT(`id`, '@no-email.invalid')")
  expect(mysql.foldsCase).toBe(false)
})

describe('types', () => {
  function changed(given: string | Partial<OldColumn>, type: string, notNull = false) {
    const isText = /char|text/.test(typeof given === 'string' ? given : `${given.type}`)
    const text = { characterSet: 'utf8mb4', collation: 'utf8mb4_bin' }
    const before = typeof given === 'string' ? column('x', given, isText ? text : {}) : column('x', `${given.type}`, given)
    const now = table(here('user'), [newColumn('x', type, { notNull })])
    const old = { ...here('user'), columns: [before], keys: [] }
    const moves = [{ now, old, columns: [{ now: now.columns[0] as NewColumn, old: before }], others: [] }]
    const { notices } = mysql.steps(moves, [], { schemaOf: () => '', tables: [old], foreignKeys: [] }, { about: '', sql: [] })
    return {
      statements: statementsOf(moves).map((one) => one.replace('ALTER TABLE `user` MODIFY `x` ', '')),
      codes: notices.map(({ severity, code }) => `${severity} ${code}`),
    }
  }
  const latin = { characterSet: 'latin1', collation: 'latin1_bin' }

  test.each([
    ['int(11)', 'int'],
    ['bigint(20) unsigned', 'bigint unsigned'],
    ['smallint(6)', 'SMALLINT'],
    ['mediumint(9)', 'mediumint'],
    ['tinyint(1)', 'boolean'],
    ['tinyint', 'bool'],
    ['bigint unsigned', 'serial'],
    ['int', 'integer(11)'],
    ['varchar(20)', 'varchar(20)'],
    ['longtext', 'longtext character set utf8mb4'],
    [{ type: 'longtext', ...latin }, 'longtext'],
    [{ type: 'longtext', ...latin }, 'LONGTEXT CHARACTER SET latin1'],
  ])('%o stays', (old, type) => {
    expect(changed(old, type)).toEqual({ statements: [], codes: [] })
  })

  test.each([
    ['int', 'bigint', false, 'bigint NULL;'],
    ['int', 'bigint', true, 'bigint NOT NULL;'],
    ['int', 'int', true, 'int NOT NULL;'],
    ['int', 'int unsigned', false, 'int unsigned NULL;'],
    ['varchar(20)', 'varchar(21)', false, 'varchar(21) NULL;'],
    ['varchar(20)', 'varchar(20)', true, 'varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;'],
    [{ type: 'longtext', ...latin }, 'longtext character set utf8mb4', false, 'longtext character set utf8mb4 NULL;'],
    [{ type: 'int', default: `'7'`, rest: ` COMMENT 'the x'` }, 'bigint', false, `bigint NULL DEFAULT '7' COMMENT 'the x';`],
    [{ type: 'int', rest: ' AUTO_INCREMENT', notNull: true }, 'int', false, 'int NULL AUTO_INCREMENT;'],
    // Older servers give a timestamp a default of their own.
    [{ type: 'timestamp(3)', default: 'now()', rest: ' on update now()' }, 'timestamp', false, 'timestamp NULL;'],
    ['bit(1)', 'boolean', false, 'boolean NULL;'],
    ['tinyint unsigned', 'boolean', false, 'boolean NULL;'],
    ['varchar(9)', 'boolean or so', false, 'boolean or so NULL;'],
    ['tinyint', 'notbool', false, 'notbool NULL;'],
    ['bigint unsigned', 'bigserial', false, 'bigserial NULL;'],
    ['bigint unsigned', 'serial8', false, 'serial8 NULL;'],
    ["enum('int(1)')", "enum('int')", false, "enum('int') NULL;"],
    ['longtext', 'longtext character set utf8mb4 collate utf8mb4_bin', false, 'longtext character set utf8mb4 collate utf8mb4_bin NULL;'],
  ])('%o becomes %s, not null: %s', (old, type, notNull, statement) => {
    expect(changed(old, type, notNull)).toEqual({ statements: [statement], codes: [] })
  })

  test.each([
    ['timestamp', 'datetime', ['warning time-zone']],
    ['TIMESTAMP(3)', 'datetime', ['warning time-zone']],
    ['timestamp', "enum('timestamp')", ['warning time-zone']],
    ["enum('timestamp')", 'datetime', []],
    ['timestamp', 'TIMESTAMP(3)', []],
    ['datetime', 'datetime(3)', []],
    ['datetime', 'timestamp', []],
  ])('%s that becomes %s is converted in the time zone of the session: %j', (old, type, codes) => {
    expect(changed(old, type).codes).toEqual(codes)
  })

  test.each([
    ['varbinary(80)', 'latin1', true],
    ['binary(80)', 'latin1', true],
    ['LONGBLOB', 'latin1', true],
    ['varbinary(80)', 'utf8mb4', false],
    ['varchar(80)', 'latin1', false],
    ['nonbinary', 'latin1', false],
  ])('text that becomes %s from %s gets other bytes first: %s', (type, characterSet, isConverted) => {
    const old = { type: 'varchar(20)', characterSet, collation: `${characterSet}_general_ci`, notNull: true }
    const converted = 'varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;'
    expect(changed(old, type).statements).toEqual([...(isConverted ? [converted] : []), `${type} NULL;`])
    expect(changed('int', type).statements).toHaveLength(1)
  })
})
