export type DialectName = 'pg' | 'mysql' | 'sqlite'

export const allDialects: readonly DialectName[] = ['sqlite', 'pg', 'mysql']

/** The dialects to test: all, unless DIALECTS narrows them on purpose. */
export function chosenDialects(): DialectName[] {
  const names = process.env.DIALECTS?.split(/[\s,]+/).filter(Boolean) ?? allDialects
  const unknown = names.filter((name) => !(allDialects as readonly string[]).includes(name))
  if (unknown.length > 0 || names.length === 0)
    throw new Error(`DIALECTS must name some of ${allDialects.join(', ')}, as in DIALECTS=sqlite,pg`)
  return [...names] as DialectName[]
}
