import type { World } from '../kernel/world.ts'
import type { Entry } from './log.ts'

export interface ReplicaSetOptions {
  /** `host:port` of each member. With one, it is a standalone server: what it writes is committed at once. */
  readonly hosts: readonly string[]
  /** How long a majority takes to have an entry, in milliseconds; by default mostly 1 to 5, now and then up to 300. */
  readonly lagMs?: () => number
  /** How long the set has no primary; by default 0.5 to 4 s. */
  readonly electionMs?: () => number
  /** How long a primary that is cut off serves on; by default up to 12 s. */
  readonly staleMs?: () => number
  /** Called with each entry when a majority has it, in the order of the log. */
  readonly onCommit?: (entry: Entry) => void
  /** Called with each entry that a failover has cut off, the newest first. */
  readonly onRollback?: (entry: Entry) => void
  /** Called when a primary that was replaced answers a read. */
  readonly onStaleRead?: () => void
}

/** How long a majority takes when no test says so: now and then a member is slow. */
export function usualLagMs(world: World): number {
  return world.random() < 0.02 ? world.random() * 300 : 1 + world.random() * 4
}
