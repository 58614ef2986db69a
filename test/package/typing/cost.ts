import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, step } from '../../support/process.js'
import { median } from '../../support/statistics.js'

const dialects = ['pg', 'mysql', 'sqlite']

interface Cost {
  instantiations: number
  types: number
  seconds: number
}

/** Compiles one file alone, like an app that has no other code. */
async function compile(folder: string, tsc: string, file: string): Promise<Cost> {
  const config = join('cost', `${file}.json`)
  const compilerOptions = { module: 'esnext', moduleResolution: 'bundler' }
  await writeFile(
    join(folder, config),
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions, files: [`${file}.ts`], include: [] }),
  )
  const output = await run(process.execPath, [tsc, '-p', config, '--pretty', 'false', '--extendedDiagnostics'], { cwd: folder })
  const number = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(output)?.[1])
  const cost = { instantiations: number('Instantiations'), types: number('Types'), seconds: number('Check time') }
  if (!Object.values(cost).every(Number.isFinite)) throw new Error(`${file}.ts\n${output}`)
  return cost
}

/** Compares what the adapter and the official one cost the compiler, with the same database and tables. Fails if any count is higher. */
export async function compareCost(folder: string, compiler: string, rounds: number): Promise<void> {
  const tsc = join(folder, '..', 'node_modules', compiler, 'bin', 'tsc')
  for (const dialect of dialects) {
    const costs = { ours: [] as Cost[], official: [] as Cost[] }
    await step(`work for the compiler, ${compiler}, ${dialect}: at most that of the official adapter`, async () => {
      for (let round = 0; round < rounds; round++)
        for (const whose of ['ours', 'official'] as const) costs[whose].push(await compile(folder, tsc, `${whose}-${dialect}`))
      const [ours, official] = [costs.ours[0] as Cost, costs.official[0] as Cost]
      for (const count of ['instantiations', 'types'] as const)
        if (ours[count] > official[count]) throw new Error(`${ours[count]} ${count}, the official adapter ${official[count]}`)
    })
    for (const [whose, all] of Object.entries(costs)) {
      const { instantiations, types } = all[0] as Cost
      const seconds = median(all.map((cost) => cost.seconds)).toFixed(2)
      console.log(
        `      ${whose.padEnd(8)} ${instantiations} instantiations, ${types} types, checked in ${seconds} s (median of ${rounds})`,
      )
    }
  }
}
