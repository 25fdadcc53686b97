/**
 * Keeps an answer for `keptMs()` from its arrival. Concurrent callers share one request. A failure is not kept: it rejects for
 * those who wait for it, and the next call asks again.
 */
export function keepAnswer<T>(ask: () => Promise<T>, { keptMs, now }: { keptMs: () => number; now: () => Date }) {
  let known: { readonly answer: T; readonly untilMs: number } | undefined
  let asking: Promise<T> | undefined

  async function refresh(): Promise<T> {
    const answer = await ask()
    known = { answer, untilMs: now().getTime() + keptMs() }
    return answer
  }

  return (): Promise<T> => {
    if (known && now().getTime() < known.untilMs) return Promise.resolve(known.answer)
    asking ??= refresh().finally(() => (asking = undefined))
    return asking
  }
}
