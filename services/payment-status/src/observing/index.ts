export * from './metrics.ts'
export * from './overdue.ts'
