export * from './official-pg.js'
