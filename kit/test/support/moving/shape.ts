import type { DialectName } from '../../../../test/support/dialects.js'

type Run = (statement: string) => Promise<Record<string, unknown>[]>

const queries: Record<DialectName, string[]> = {
  sqlite: [
    `select m.name, c.name as "column", lower(c.type) as type, c."notnull", c.dflt_value, c.pk
       from sqlite_master m join pragma_table_info(m.name) c
      where m.type = 'table' and m.name not like '\\_\\_%' escape '\\' order by 1, 2`,
    `select tbl_name, name, sql from sqlite_master where type = 'index' and sql is not null order by 2`,
    `select m.name, f."table", f."from", f."to", f.on_delete
       from sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table' order by 1`,
  ],
  pg: [
    `select table_name, column_name, data_type, datetime_precision, character_maximum_length, collation_name, column_default, is_nullable
       from information_schema.columns where table_schema = 'public' order by 1, 2`,
    `select indexdef from pg_indexes where schemaname = 'public' order by 1`,
    `select conrelid::regclass::text as t, conname, pg_get_constraintdef(oid) as definition from pg_constraint
      where connamespace = 'public'::regnamespace order by 2`,
  ],
  mysql: [
    `select table_name as t, column_name as c, column_type, is_nullable, column_default, extra, character_set_name, collation_name,
            datetime_precision
       from information_schema.columns where table_schema = database() and table_name not like '\\_\\_%' order by 1, 2`,
    `select table_name as t, index_name as i, column_name as c, non_unique, seq_in_index
       from information_schema.statistics where table_schema = database() and table_name not like '\\_\\_%' order by 1, 2, seq_in_index`,
    `select table_name as t, constraint_name as c, referenced_table_name, delete_rule
       from information_schema.referential_constraints where constraint_schema = database() order by 1, 2`,
  ],
}

/** The columns, indexes and constraints of a database, independent of the order in which they were created. */
export async function describeTables(dialect: DialectName, run: Run): Promise<Record<string, unknown>[][]> {
  const shape: Record<string, unknown>[][] = []
  for (const query of queries[dialect]) shape.push(await run(query))
  return shape
}
