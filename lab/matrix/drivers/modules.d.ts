// Types for the parts of these modules that the drivers use. Their own types are not installed here.
declare module 'bun' {
  export class SQL {
    constructor(options: string | { url: string; max: number })
    unsafe(statement: string): Promise<unknown>
    close(): Promise<void>
  }
}

declare module 'bun:sqlite' {
  export class Database {
    constructor(file: string, options?: object)
    run(statement: string): void
    close(): void
  }
}

declare module 'sql.js' {
  class Database {
    run(statement: string): void
    close(): void
  }
  export default function initSqlJs(): Promise<{ Database: typeof Database }>
}
