/** Runs one piece of work at a time, in the order of the calls. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>

export function createLock(): Lock {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const started = last.then(work)
    last = started.catch(() => undefined)
    return started
  }
}
