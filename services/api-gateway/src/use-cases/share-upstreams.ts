import { Unavailable } from '@gateway/contracts'

/** Takes a place for one request of a caller at an upstream, and resolves to the function that gives it back. Throws `rate_limited`. */
export type TakePlace = (upstream: string, caller: string) => Promise<() => void>

interface Limits {
  readonly running: number
  readonly waiting: number
  readonly waitMs: number
}

/** What one caller may have at an upstream. */
const SHARES = {
  /** Far more than merchants need, and an eighth of an upstream's connections. */
  calls: { running: 16, waiting: 112, waitMs: 5000 },
  /** A page of a list costs its service far more than another request. */
  pages: { running: 2, waiting: 112, waitMs: 5000 },
  /** The service refuses a second one, too, but a refusal here costs the other merchants half as much. */
  recoveries: { running: 1, waiting: 0, waitMs: 0 },
} as const satisfies Record<string, Limits>
export type ShareName = keyof typeof SHARES
export type UpstreamShares = Readonly<Record<ShareName, TakePlace>>

interface Share {
  running: number
  /** In order; each starts one request. */
  readonly waiting: Set<() => void>
}

/** Bounds the connections of an upstream that one caller uses, so that slow answers for one do not make the others wait. */
export function createUpstreamShares(): UpstreamShares {
  return { calls: createShare(SHARES.calls), pages: createShare(SHARES.pages), recoveries: createShare(SHARES.recoveries) }
}

export function createShare({ running, waiting, waitMs }: Limits): TakePlace {
  const shares = new Map<string, Share>()

  function waitForPlace(share: Share): Promise<void> {
    if (share.waiting.size >= waiting) throw tooMany()
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer)
        share.waiting.delete(start)
        resolve()
      }
      const timer = setTimeout(() => {
        share.waiting.delete(start)
        reject(tooMany())
      }, waitMs)
      share.waiting.add(start)
    })
  }

  return async (upstream, caller) => {
    const key = `${upstream} ${caller}`
    const share = shares.get(key) ?? { running: 0, waiting: new Set() }
    shares.set(key, share)
    if (share.running < running) share.running += 1
    else await waitForPlace(share)
    return () => {
      const [next] = share.waiting
      // The next waiting request takes this place.
      if (next) next()
      else share.running -= 1
      if (share.running === 0) shares.delete(key)
    }
  }
}

function tooMany(): Unavailable {
  return new Unavailable('rate_limited', 'Too many requests at the same time; wait for the answers of earlier ones')
}
