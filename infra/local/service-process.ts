/** How a service is run as a process of its own: by `npm start`, and where one is measured alone. */

/**
 * Left to itself, Node sizes its heap by the machine's memory: what is young grows to 128 MiB, and what is old to four times of
 * what is needed, before it is looked at. The images do the same as far as their environment can say it.
 */
export const NODE_ARGS = ['--max-semi-space-size=4', '--initial-old-space-size=64', '--max-old-space-size=512'] as const

/** glibc gives every thread a heap of its own, up to eight per core: of seven services each kept 7 to 12 MiB more. */
export const MALLOC = { MALLOC_ARENA_MAX: '2' } as const
