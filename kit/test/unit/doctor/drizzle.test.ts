import { expect, test } from 'vitest'
import { checkVersion } from '../../../src/doctor/index.js'

test('warns about builds of single commits of Drizzle, which npm takes for newer than the release candidate', () => {
  expect(checkVersion('1.0.0-rc.5-ab785fc')).toMatchObject([
    { code: 'drizzle-build', severity: 'warning', fix: 'npm install --save-exact drizzle-orm@1.0.0-rc.5' },
  ])
  for (const version of ['0.45.4', '1.0.0-rc.5', '1.0.0', undefined]) expect(checkVersion(version)).toEqual([])
})
