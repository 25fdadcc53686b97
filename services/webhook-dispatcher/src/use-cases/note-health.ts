import type { Log } from '@gateway/service-kit'
import type { AttemptResult } from '../domain/delivery.ts'
import type { Endpoint } from '../domain/endpoint.ts'
import { disabledOf, healthAfter, type Disabled } from '../domain/endpoint-health.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import type { EndpointObserver } from './admission.ts'

/** Notes what came of an exchange with one of the endpoint's URLs. Resolves whatever happens: the next result notes it too. */
export type NoteHealth = (known: Endpoint, url: string, result: AttemptResult) => Promise<void>

export interface NoteHealthOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save'>
  readonly disableAfterMs: number
  readonly observer: Pick<EndpointObserver, 'disabled'>
  readonly log: Log
  readonly now: () => Date
}

const MAX_TRIES = 5

/** Without a change, which is the rule, it costs no call of the database: `known` says so. */
export function makeNoteHealth({ endpoints, disableAfterMs, observer, log, now }: NoteHealthOptions): NoteHealth {
  async function write(merchantId: string, url: string, result: AttemptResult): Promise<void> {
    for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
      const before = await endpoints.find(merchantId)
      // A URL that was replaced long ago is forgotten, and its health with it.
      if (!before?.endpoint.registrations.some((registration) => registration.url === url)) return
      const health = healthAfter(before.endpoint.health, { url, result, disableAfterMs }, now())
      if (!health) return
      if (!(await endpoints.save({ ...before.endpoint, health }, before))) continue
      const disabled = disabledOf(health, url)
      if (disabled) tellOperators(merchantId, disabled)
      return
    }
  }

  /** Once for each time that a URL is disabled, by the replica that did it. */
  function tellOperators(merchantId: string, { reason }: Disabled): void {
    observer.disabled(reason)
    log.error('a webhook endpoint is disabled until its merchant enables it', { merchant: merchantId, reason })
  }

  return async ({ merchantId, health }, url, result) => {
    if (!healthAfter(health, { url, result, disableAfterMs }, now())) return
    await write(merchantId, url, result).catch((error: unknown) => {
      log.warn('the health of an endpoint was not noted', { merchant: merchantId, error })
    })
  }
}
