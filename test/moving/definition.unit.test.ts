import { describe, expect, test } from 'vitest'
import { columnsIn, readDefinition, replaceNames, withoutNotNull } from '../../src/cli/moving/definition.js'

// SQLite keeps CREATE TABLE as it was written, in any of the ways that SQL allows.

const partsOf = (inner: string) => readDefinition(`CREATE TABLE t (${inner})`).parts
const columnsOf = (inner: string) => partsOf(inner).map(({ column }) => column)

describe('the parts of CREATE TABLE', () => {
  test('are columns and constraints, without the spaces around them', () => {
    expect(readDefinition('CREATE TABLE "user" (\n  id text PRIMARY KEY ,\n  plan\ttext,\n  UNIQUE (plan)\n)')).toEqual({
      parts: [{ column: 'id', text: 'id text PRIMARY KEY' }, { column: 'plan', text: 'plan\ttext' }, { text: 'UNIQUE (plan)' }],
      options: '',
    })
  })

  test.each(['WITHOUT ROWID', 'STRICT, WITHOUT ROWID'])('are followed by the options: %s', (options) => {
    expect(readDefinition(`CREATE TABLE t (a text CHECK (a <> ')')) ${options}`)).toEqual({
      parts: [{ column: 'a', text: "a text CHECK (a <> ')')" }],
      options,
    })
    expect(readDefinition(`CREATE TABLE t(a)${' '}${options} `).options).toBe(options)
  })

  test.each([
    'constraint "c" check (a > 0)',
    'CONSTRAINT c UNIQUE (a)',
    'primary key (a, b)',
    'Unique(a)',
    'CHECK (a)',
    'foreign key (a) references u (id)',
  ])('%s is a constraint', (text) => {
    expect(partsOf(`a int, b int, ${text}`)).toEqual([{ column: 'a', text: 'a int' }, { column: 'b', text: 'b int' }, { text }])
  })

  test.each([
    ['checked int', 'checked'],
    ['unique_name text', 'unique_name'],
    ['is_primary int', 'is_primary'],
    ['"primary" int', 'primary'],
    ['[check] int', 'check'],
  ])('%s is a column', (text, column) => {
    expect(partsOf(text)).toEqual([{ column, text }])
  })

  test.each([
    ['"two words" text', 'two words'],
    ['"with "" quote" text', 'with " quote'],
    ['`with `` tick` text', 'with ` tick'],
    ["'with '' apostrophe' text", "with ' apostrophe"],
    ['[in ( brackets] text', 'in ( brackets'],
    ['"comma, in" text', 'comma, in'],
    ['`comma, in` text', 'comma, in'],
    ["'comma, in' text", 'comma, in'],
    ['[comma, in] text', 'comma, in'],
    ['"a"",b" text', 'a",b'],
    ['`a``,b` text', 'a`,b'],
    ["'a'',b' text", "a',b"],
    ['"a"(2) text', 'a'],
    ['a$1 text', 'a$1'],
  ])('the name in %s', (text, column) => {
    expect(partsOf(`id int, ${text}, z int`)[1]).toEqual({ column, text })
    expect(partsOf(`id int, ${text}, z int`)).toHaveLength(3)
  })

  test('have no names where there is no definition', () => {
    expect(readDefinition('')).toEqual({ parts: [{ column: '', text: '' }], options: '' })
  })

  test('a type or an expression has commas of its own', () => {
    const text = "price decimal(10, 2) DEFAULT (max(1, 2)) CHECK (price IN (1, 2, ',', ')'))"
    expect(partsOf(`${text}, b int`)).toEqual([
      { column: 'price', text },
      { column: 'b', text: 'b int' },
    ])
  })

  test.each([
    ['-- one, two (\n'],
    ['--\n'],
    ['/* one, two ( */'],
    ['/**/'],
    ['/* one,\n * two (\n */'],
    ['/* one */ /* two, three */'],
    ['/* an "unfinished name, */'],
    ["-- an 'unfinished text,\n"],
  ])('a comment is nothing but space: %j', (comment) => {
    expect(columnsOf(`id int, ${comment} plan text, b int ${comment}`)).toEqual(['id', 'plan', 'b'])
    expect(partsOf(`id int ${comment} NOT NULL`)[0]?.text).toMatch(/^id int\s+NOT NULL$/)
  })

  test.each(["'a--b'", "'a/*b*/'", '"a--b"', "'--'"])('%s is no comment', (value) => {
    expect(partsOf(`id text DEFAULT ${value}, b int`)).toEqual([
      { column: 'id', text: `id text DEFAULT ${value}` },
      { column: 'b', text: 'b int' },
    ])
  })

  test('a minus or a slash alone is an operator', () => {
    expect(partsOf('a int DEFAULT (1 - -1), b int CHECK (b / 2 * 2 = b)').map(({ text }) => text)).toEqual([
      'a int DEFAULT (1 - -1)',
      'b int CHECK (b / 2 * 2 = b)',
    ])
  })
})

describe('the columns of a constraint', () => {
  test.each([
    ['PRIMARY KEY (a, b)', ['a', 'b']],
    ['UNIQUE("a b",`c``d`,[e f])', ['a b', 'c`d', 'e f']],
    ["UNIQUE ('a', $b, _c)", ['a', '$b', '_c']],
    ['CONSTRAINT fk FOREIGN KEY (a) REFERENCES u (id)', ['a']],
    ['UNIQUE (a,\n  b)', ['a', 'b']],
    ['UNIQUE ()', []],
    ['UNIQUE', []],
  ])('%s', (constraint, columns) => {
    expect(columnsIn(constraint)).toEqual(columns)
  })
})

describe('a column that may be null', () => {
  test.each([
    ['plan text NOT NULL', 'plan text'],
    ['plan text not  null', 'plan text'],
    ['plan text NOT\n\tNULL DEFAULT 1', 'plan text  DEFAULT 1'],
    ['plan text NOT /* never */ NULL', 'plan text'],
    ['id integer PRIMARY KEY', 'id integer'],
    ['id integer primary key AUTOINCREMENT NOT NULL', 'id integer'],
    ['id integer PRIMARY KEY autoincrement', 'id integer'],
    ['id text NOT NULL PRIMARY KEY', 'id text'],
    ['id integer PRIMARY KEY ASC', 'id integer'],
    ['id integer primary key desc DEFAULT 1', 'id integer DEFAULT 1'],
    ['id integer PRIMARY KEY DEFAULT 1', 'id integer DEFAULT 1'],
    ['id integer PRIMARY KEY ASC ON CONFLICT REPLACE AUTOINCREMENT UNIQUE', 'id integer UNIQUE'],
    ['plan text NOT NULL on conflict fail DEFAULT 1', 'plan text DEFAULT 1'],
    ['plan text NOT NULL UNIQUE ON CONFLICT FAIL', 'plan text UNIQUE ON CONFLICT FAIL'],
    ['plan text CHECK (plan > 0) NOT NULL', 'plan text CHECK (plan > 0)'],
    ['plan text NOT NULL CHECK ((plan) IS NOT NULL OR 1)', 'plan text CHECK ((plan) IS NOT NULL OR 1)'],
    ['plan text NULL', 'plan text NULL'],
    ["plan text DEFAULT 'NOT NULL'", "plan text DEFAULT 'NOT NULL'"],
    ['plan text CHECK (plan NOT IN (1))', 'plan text CHECK (plan NOT IN (1))'],
    ['plan text NOT', 'plan text NOT'],
    ['"PRIMARY" text UNIQUE', '"PRIMARY" text UNIQUE'],
    ['key text', 'key text'],
    ['autoincrements int', 'autoincrements int'],
    ['noautoincrement int', 'noautoincrement int'],
  ])('%s', (text, expected) => {
    expect(withoutNotNull(text).replaceAll(/ +/g, ' ')).toBe(expected.replaceAll(/ +/g, ' '))
  })
})

describe('other names', () => {
  const names = new Map([
    ['userId', 'user_id'],
    ['User', 'the `users`'],
    ['my plan', 'plan'],
    ['$old', 'now'],
    ['it', 'them'],
  ])

  test.each([
    ['UNIQUE (userId)', 'UNIQUE (`user_id`)'],
    ['UNIQUE (USERID, "userid", `userId`, [userId])', 'UNIQUE (`user_id`, `user_id`, `user_id`, `user_id`)'],
    ['REFERENCES "User" (id)', 'REFERENCES `the ``users``` (id)'],
    ['CHECK ("my plan" <> my plan)', 'CHECK (`plan` <> my plan)'],
    ['CHECK ($old > 1)', 'CHECK (`now` > 1)'],
    ["CHECK (userId <> 'userId')", "CHECK (`user_id` <> 'userId')"],
    ['userIds, xuserId, users', 'userIds, xuserId, users'],
    ["CHECK (a = 'it''s')", "CHECK (a = 'it''s')"],
  ])('%s', (text, expected) => {
    expect(replaceNames(text, names)).toBe(expected)
  })

  test('without any, the text stays as it is, comments included', () => {
    expect(replaceNames('a int -- the first\n', new Map())).toBe('a int -- the first\n')
    expect(replaceNames('a int -- the userId\n', names)).toBe('a int  \n')
  })
})
