import type { LiveForeignKey, TablePath } from '../doctor/inspector.js'
import type { Dialect } from './model.js'

/** Statements that all databases write alike. */
export function standard(quote: (name: string) => string, path: (table: TablePath) => string, literal: (text: string) => string) {
  const list = (names: string[]) => names.map(quote).join(', ')
  return {
    list,
    alter: (table: TablePath, clauses: string[]) =>
      clauses.length === 0 ? [] : [`ALTER TABLE ${path(table)}\n  ${clauses.join(',\n  ')};`],
    addForeignKey: ({ table, name, columns, target, targetColumns, rules }: LiveForeignKey) =>
      `ALTER TABLE ${path(table)} ADD CONSTRAINT ${quote(name)} FOREIGN KEY (${list(columns)}) REFERENCES ${path(target)} (${list(targetColumns)})${rules};`,
    update: (table: TablePath, set: { column: string; value: string }[]) =>
      `UPDATE ${path(table)} SET ${set.map(({ column, value }) => `${quote(column)} = ${value}`).join(',\n  ')};`,
    render: {
      drop: ({ table }) => [`DROP TABLE ${path(table)};`],
      copy: ({ to, source, where, values }) => [
        `INSERT INTO ${path(to.path)} (${list(values.map(([name]) => name))})\nSELECT ${values.map(([, value]) => value).join(',\n  ')}\nFROM ${path(source)} AS o${where ? `\nWHERE ${where}` : ''};`,
      ],
      record: ({ table, rows }) => [
        `INSERT INTO ${path(table)} (${list(['position', 'part', 'about', 'statement'])}) VALUES\n${rows.map((row) => `(${row.map(literal).join(', ')})`).join(',\n')};`,
      ],
      prune: ({ sql }) => sql,
      renameColumns: ({ table, names }) =>
        names.map(([from, to]) => `ALTER TABLE ${path(table)} RENAME COLUMN ${quote(from)} TO ${quote(to)};`),
    } satisfies Dialect['render'],
  }
}
