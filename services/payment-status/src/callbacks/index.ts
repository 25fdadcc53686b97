export * from './http/callback-route.ts'
export * from './persistence/quarantine.ts'
export * from './use-cases/record-report.ts'
export * from './use-cases/return-at-once.ts'
