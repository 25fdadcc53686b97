/** What the simulation replaces, as it was before. Imported before anything is replaced. */
export const real = {
  setImmediate: globalThis.setImmediate,
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  Date: globalThis.Date,
  performanceNow: performance.now.bind(performance),
}

/** Resolves when the microtasks and ticks of the current event have all run: nothing else is under way, as there is no real I/O. */
export function drained(): Promise<void> {
  return new Promise((resolve) => real.setImmediate(() => resolve()))
}
