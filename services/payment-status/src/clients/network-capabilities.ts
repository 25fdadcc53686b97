import { capabilities, CAPABILITIES_PATH, type Capabilities } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import type { ServiceClient } from '@gateway/service-kit/http-client'

/** What the network's connector can do. Rejects with `Unavailable` only while it has never answered. */
export type FindCapabilities = () => Promise<Capabilities>

/** A connector of version 1 has no such address. */
const VERSION_1: Capabilities = { contract: 1 }

/** How long an answer is used before the connector is asked again. A failed request keeps the answer before. */
const KEPT_MS = 30_000

/** Asks the connector at the first use and then every `KEPT_MS`; concurrent callers share one request. */
export function createFindCapabilities(
  client: Pick<ServiceClient, 'get' | 'unavailable'>,
  { now, log }: { now: () => Date; log: Pick<Log, 'warn'> },
): FindCapabilities {
  let known: { readonly answer: Capabilities; readonly untilMs: number } | undefined
  let asking: Promise<Capabilities> | undefined

  async function ask(): Promise<Capabilities> {
    const { status, data } = await client.get(CAPABILITIES_PATH)
    if (status === 404) return VERSION_1
    if (status === 200 && capabilities(data)) return data
    throw client.unavailable(`status ${status}`)
  }

  async function refresh(): Promise<Capabilities> {
    try {
      const answer = await ask()
      known = { answer, untilMs: now().getTime() + KEPT_MS }
      return answer
    } catch (error) {
      if (!known) throw error
      log.warn('capabilities lookup failed', { error })
      known = { ...known, untilMs: now().getTime() + KEPT_MS / 10 }
      return known.answer
    }
  }

  return () => {
    if (known && now().getTime() < known.untilMs) return Promise.resolve(known.answer)
    asking ??= refresh().finally(() => (asking = undefined))
    return asking
  }
}
