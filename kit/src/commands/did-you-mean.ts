/** A question with the name that was probably meant: it differs in one letter, or in two if it is not short. */
export function didYouMean(word: string, names: readonly string[], prefix = ''): string {
  const best = [1, 2].flatMap((most) =>
    names.filter((name) => name.length > 2 * most && isAlike(word.toLowerCase(), name.toLowerCase(), most)),
  )
  return best[0] ? ` Did you mean ${prefix}${best[0]}?` : ''
}

/** Whether at most so many letters have to be inserted, deleted or replaced. */
const isAlike = (one: string, other: string, most: number): boolean =>
  one[0] === other[0]
    ? !one || isAlike(one.slice(1), other.slice(1), most)
    : most > 0 &&
      [
        [1, 0],
        [0, 1],
        [1, 1],
      ].some(([from, to]) => isAlike(one.slice(from), other.slice(to), most - 1))
