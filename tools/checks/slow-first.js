import TestSequencer from '@jest/test-sequencer'

/** From the most expensive kind of file to the cheapest; what fits none of these is a pure test. */
const SLOWEST_FIRST = [/browser.*\.e2e\./u, /\.e2e\./u, /browser.*\.int\./u, /\.int\./u]

/**
 * Starts the slowest files first, so that no worker is left with one at the end. Within a kind Jest's own order stays: by the time of
 * the last run, else by size.
 */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ path }) {
  const rank = SLOWEST_FIRST.findIndex((pattern) => pattern.test(path))
  return rank === -1 ? SLOWEST_FIRST.length : rank
}
