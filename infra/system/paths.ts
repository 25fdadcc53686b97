/** Where things are on this machine. */
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'

/** The checkout. */
export const ROOT = resolve(import.meta.dirname, '../..')

export interface Paths {
  /** What belongs to one stack: stack.json, secrets, CA, logs, process records. */
  readonly stateDir: string
  /** What is expensive to make and shared by all stacks: the root file system, FerretDB. */
  readonly cacheDir: string
}

/** `STACK_DIR` moves the state, `STACK_CACHE` the caches; both are `.local/` in the checkout otherwise. */
export function readPaths(env: NodeJS.ProcessEnv): Paths {
  return {
    stateDir: resolve(env['STACK_DIR'] ?? join(ROOT, '.local')),
    cacheDir: resolve(env['STACK_CACHE'] ?? join(ROOT, '.local')),
  }
}

/** A short name that is the same for the same state directory: for containers, broker nodes and data directories. */
export function instanceId(stateDir: string): string {
  return createHash('sha256').update(resolve(stateDir)).digest('hex').slice(0, 10)
}
