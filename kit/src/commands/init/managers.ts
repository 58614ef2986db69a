import type { Manager } from './project.js'

/** The commands of each package manager. */
export const commands: Record<Manager, { add: string; addDev: string; exec: string }> = {
  npm: { add: 'npm install', addDev: 'npm install --save-dev', exec: 'npx' },
  pnpm: { add: 'pnpm add', addDev: 'pnpm add --save-dev', exec: 'pnpm exec' },
  yarn: { add: 'yarn add', addDev: 'yarn add --dev', exec: 'yarn' },
  bun: { add: 'bun add', addDev: 'bun add --dev', exec: 'bunx' },
}
