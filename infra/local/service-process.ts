/** How a service is run as a process of its own: by `npm start`, and where one is measured alone. */
import { join } from 'node:path'
import { readPaths } from '@gateway-infra/system/paths'

/**
 * Left to itself, Node sizes its heap by the machine's memory: what is young grows to 128 MiB, and what is old to four times of
 * what is needed, before it is looked at. The images do the same as far as their environment can say it.
 */
export const NODE_ARGS = ['--max-semi-space-size=8', '--initial-old-space-size=64', '--max-old-space-size=512'] as const

/** What its environment has beside the service's own settings. */
export const NODE_ENVIRONMENT = {
  /** glibc gives every thread a heap of its own, up to eight per core: of seven services each kept 7 to 12 MiB more. */
  MALLOC_ARENA_MAX: '2',
  /** What was compiled once: a process that finds all of it there starts faster, and never loads Node's TypeScript compiler (17 MiB and more). */
  NODE_COMPILE_CACHE: join(readPaths(process.env).cacheDir, 'compiled'),
} as const
