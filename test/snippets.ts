import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The TypeScript of a document: each block with the file name that its first line gives it. */
export async function snippets(document: string): Promise<{ file: string; text: string }[]> {
  const text = await readFile(join(root, document), 'utf8')
  return [...text.matchAll(/^```(?:ts|typescript|tsx|js)\n([\s\S]*?)^```/gm)].map(([, code = '']) => {
    const file = /^\/\/ ([\w./-]+\.ts)\n/.exec(code)?.[1]
    if (!file) throw new Error(`${document}: each block of TypeScript starts with the name of its file:\n${code}`)
    return { file, text: code }
  })
}
