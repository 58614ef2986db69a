import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import { askAtTerminal, askFor } from '../../../src/cli/questions.js'
import { failureOf } from './files.js'

describe('a choice', () => {
  /** The answers, one after the other, and the questions that were asked. */
  function terminal(...answers: string[]) {
    const questions: string[] = []
    const ask = async (question: string) => {
      questions.push(question)
      return answers.shift() ?? expect.unreachable()
    }
    return { questions, ask }
  }

  test('shows the values, with the default in brackets', async () => {
    const { ask, questions } = terminal('mysql')
    expect(await askFor(ask, 'Which database?', ['pg', 'mysql'], 'pg')).toBe('mysql')
    expect(questions).toEqual(['Which database? [pg], mysql: '])
  })

  test.each(['', ' ', '\t'])('takes the default for the answer %j', async (answer) => {
    expect(await askFor(terminal(answer).ask, 'Which?', ['pg', 'mysql'], 'mysql')).toBe('mysql')
  })

  test('takes an answer with spaces around', async () => {
    expect(await askFor(terminal(' pg\r\n').ask, 'Which?', ['pg', 'mysql'])).toBe('pg')
  })

  test('is asked for again until the answer is one of the values', async () => {
    const { ask, questions } = terminal('', 'oracle', 'PG', 'pg')
    expect(await askFor(ask, 'Which?', ['pg', 'mysql'])).toBe('pg')
    expect(questions).toEqual(Array.from({ length: 4 }, () => 'Which? pg, mysql: '))
  })
})

describe('the terminal', () => {
  afterEach(() => vi.restoreAllMocks())

  /** Replaces the standard streams of this process. */
  function streams({ inputIsTTY = true, outputIsTTY = true } = {}) {
    const input = Object.assign(new PassThrough(), { isTTY: inputIsTTY, setRawMode: () => {} })
    const output = Object.assign(new PassThrough(), { isTTY: outputIsTTY, columns: 80 })
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as never)
    vi.spyOn(process, 'stdout', 'get').mockReturnValue(output as never)
    return { input, output, shown: () => String(output.read() ?? '') }
  }

  test.each([
    [true, false],
    [false, true],
    [false, false],
  ])('cannot be asked without one: %s, %s', (inputIsTTY, outputIsTTY) => {
    streams({ inputIsTTY, outputIsTTY })
    expect(askAtTerminal()).toBeUndefined()
  })

  test('shows the question and gives the answer', async () => {
    const { input, shown } = streams()
    const answer = askAtTerminal()?.('Which? ')
    expect(shown()).toContain('Which? ')
    input.write('pg\n')
    expect(await answer).toBe('pg')
    // It listens no longer: the process can end.
    expect(input.listenerCount('keypress')).toBe(0)
  })

  test.each(['\u0003', '\u0004'])('stops the command at %j', async (key) => {
    const { input } = streams()
    const answer = failureOf(() => askAtTerminal()?.('Which? '))
    input.write(key)
    const failure = await answer
    expect(failure).toBeInstanceOf(Problem)
    expect(failure).toMatchObject({ message: expect.stringContaining('Nothing was written'), exitCode: 1 })
  })
})
