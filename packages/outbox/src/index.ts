export type { OutboxCollection } from './documents.ts'
export * from './entry.ts'
export type { OutboxRelay, OutboxRelayOptions, RelayStats } from './relay-options.ts'
export * from './relay.ts'
