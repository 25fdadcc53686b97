/** How a service runs as a process: options and environment, used by `npm start` and the benches. */
import { join } from 'node:path'
import { readPaths } from '@gateway-infra/system/paths'

/**
 * Node sizes its heap by the machine's memory: by default the young generation grows to 128 MiB and the old one to four times
 * the live data before a collection. The images set the same limits through NODE_OPTIONS where Node allows it.
 * `--expose-gc` lets a service release the memory that only its start needed (service-kit, process/lifecycle.ts).
 */
export const NODE_ARGS = [
  '--max-semi-space-size=16',
  '--initial-old-space-size=64',
  '--max-old-space-size=512',
  '--expose-gc',
] as const

/** Environment variables besides the service's own settings. */
export const NODE_ENVIRONMENT = {
  /** glibc gives every thread its own heap, up to eight per core; each service kept 7 to 12 MiB more without this. */
  MALLOC_ARENA_MAX: '2',
  /** The compile cache: a process that finds everything in it starts faster and never loads Node's TypeScript compiler (over 17 MiB). */
  NODE_COMPILE_CACHE: join(readPaths(process.env).cacheDir, 'compiled'),
} as const
