export * from './metrics.ts'
export * from './observe-changes.ts'
export * from './overdue.ts'
