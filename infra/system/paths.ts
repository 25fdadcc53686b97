/** Directories of this checkout and of the local stack. */
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'

/** The root of this checkout. */
export const ROOT = resolve(import.meta.dirname, '../..')

export interface Paths {
  /** The state of one stack: stack.json, secrets, CA, logs, process records. */
  readonly stateDir: string
  /** Shared by all stacks because it is expensive to build: the root file system, FerretDB. */
  readonly cacheDir: string
}

/** `STACK_DIR` sets the state directory, `STACK_CACHE` the cache directory; both default to `.local/` in the checkout. */
export function readPaths(env: NodeJS.ProcessEnv): Paths {
  return {
    stateDir: resolve(env['STACK_DIR'] ?? join(ROOT, '.local')),
    cacheDir: resolve(env['STACK_CACHE'] ?? join(ROOT, '.local')),
  }
}

/** A short name derived from the state directory, used for containers, broker nodes and data directories. */
export function instanceId(stateDir: string): string {
  return createHash('sha256').update(resolve(stateDir)).digest('hex').slice(0, 10)
}
