import type { Open } from './setting.js'
import type { Tables, Task } from './suite.js'
import { runSuite } from './suite.js'

/** Runs a cell in a Worker. Its task is the body of a request. */
export function worker(open: Open, tables: Tables) {
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

/** Runs a cell in a Durable Object, whose storage is its only binding. */
export function objectOf(open: Open, tables: Tables) {
  return class {
    constructor(readonly state: { storage: unknown }) {}

    fetch(request: Request): Promise<Response> {
      return worker(open, tables).fetch(request, { storage: this.state.storage })
    }
  }
}

interface Objects {
  getByName(name: string): { fetch(request: Request): Promise<Response> }
}

/** A Worker that leaves its task to a Durable Object. */
export const forward = {
  fetch: (request: Request, { suite }: { suite: Objects }) => suite.getByName('suite').fetch(request),
}
