import TestSequencer from '@jest/test-sequencer'

const ON_A_STACK = /\.e2e\./u
const ON_ENGINES = /\.int\./u
const IN_A_BROWSER = /browser/u

/**
 * The order of the test files. End-to-end tests keep every core busy, integration tests mostly wait: they run mixed, so that neither
 * the cores idle nor several stacks start at once. Pure tests come last and fill the workers until the end. Browser tests are the
 * first of their kind; the rest keeps Jest's own order: by the time of the last run, else by size.
 */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    const [browsers, others] = parted(super.sort(tests), IN_A_BROWSER)
    const [onStack, rest] = parted([...browsers, ...others], ON_A_STACK)
    const [onEngines, pure] = parted(rest, ON_ENGINES)
    return [...mixed(onStack, onEngines), ...pure]
  }
}

/** Those whose path matches, and the others. */
function parted(tests, pattern) {
  return [tests.filter(({ path }) => pattern.test(path)), tests.filter(({ path }) => !pattern.test(path))]
}

/** Each of the few is followed by its share of the many. */
function mixed(few, many) {
  if (few.length === 0) return many
  const share = many.length / few.length
  return few.flatMap((test, place) => [test, ...many.slice(Math.round(place * share), Math.round((place + 1) * share))])
}
