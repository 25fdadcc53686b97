/** A service's own database: connection, indexes, batches, and the commands that work on stored documents. */
export * from './check-slot.ts'
export * from './commands.ts'
export * from './database.ts'
export * from './indexes.ts'
export * from './master-key-step.ts'
export * from './republish-step.ts'
export * from './reseal.ts'
export * from './shard-step.ts'
