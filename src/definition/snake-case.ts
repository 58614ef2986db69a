/** Has the same result as Drizzle's own `casing` and as Better Auth's generator: `lastLoginIP` becomes `last_login_ip`. */
export function toSnakeCase(name: string): string {
  const words = name.match(/[\d\p{Ll}\p{Lo}]+|\p{Lu}+(?![\p{Ll}\p{Lo}])|\p{Lu}[\d\p{Ll}\p{Lo}]+/gu) ?? [name]
  return words.map((word) => word.toLowerCase()).join('_')
}
