import type { Open } from './setting.js'
import type { Task } from './suite.js'
import { runSuite } from './suite.js'

/** Runs a cell in a Worker. Its task is the body of a request. */
export function worker(open: Open, tables: object) {
  return {
    async fetch(request: Request, bindings: Record<string, unknown>): Promise<Response> {
      try {
        return Response.json(await runSuite((await request.json()) as Task, open, tables, bindings))
      } catch (error) {
        return new Response(String((error as Error)?.stack ?? error), { status: 500 })
      }
    },
  }
}
