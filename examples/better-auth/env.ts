/** The value of an environment variable. Throws if it is not set. */
export function env(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set. See .env.example`)
  return value
}
