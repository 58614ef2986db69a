/** The kinds of problems that pages/problem.ts shows for codes of Better Auth. */
const kinds: Record<string, string> = {
  INVALID_EMAIL: 'Address',
  VALIDATION_ERROR: 'Address',
  FAILED_TO_CREATE_USER: 'Database',
  FAILED_TO_CREATE_SESSION: 'Database',
  SESSION_EXPIRED: 'Stale',
  SESSION_NOT_FRESH: 'Stale',
  ORGANIZATION_ALREADY_EXISTS: 'Taken',
  ORGANIZATION_SLUG_ALREADY_TAKEN: 'Taken',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 'Invited',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'Invited',
}

/** The kind of problem for a response of Better Auth that is not OK. */
export async function failureOf(response: Response, otherwise: string): Promise<string> {
  if (response.status >= 500) return 'Database'
  const { code = '' } = (await response.json().catch(() => null)) ?? {}
  return kinds[code] ?? otherwise
}
