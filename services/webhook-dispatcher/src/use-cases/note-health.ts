import type { Log } from '@gateway/service-kit'
import { wasSent, type AttemptResult } from '../domain/delivery.ts'
import type { Endpoint } from '../domain/endpoint.ts'
import { disabledOf, healthAfter, type Disabled, type DisabledReason } from '../domain/endpoint-health.ts'
import type { Endpoints } from '../persistence/endpoints.ts'

/** Updates the health of one of the endpoint's URLs after an exchange. Never rejects: the next result repeats the update. */
export type NoteHealth = (known: Endpoint, url: string, result: AttemptResult) => Promise<void>

export interface NoteHealthOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save'>
  readonly disableAfterMs: number
  readonly onDisabled: (reason: DisabledReason) => void
  readonly log: Log
  readonly now: () => Date
}

const MAX_TRIES = 5

/** In the common case nothing changes, which the cached endpoint shows without a database call. */
export function makeNoteHealth({ endpoints, disableAfterMs, onDisabled, log, now }: NoteHealthOptions): NoteHealth {
  async function update(endpointId: string, url: string, result: AttemptResult): Promise<void> {
    for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
      const before = await endpoints.find(endpointId)
      // A URL that was replaced long ago is forgotten, and its health with it.
      if (!before?.endpoint.registrations.some((registration) => registration.url === url)) return
      const health = healthAfter(before.endpoint.health, { url, result, disableAfterMs }, now())
      if (!health) return
      if (!(await endpoints.save({ ...before.endpoint, health }, before))) continue
      const disabled = disabledOf(health, url)
      if (disabled) tellOperators(endpointId, disabled)
      return
    }
  }

  /** Once each time that a URL is disabled, by the replica that disabled it. */
  function tellOperators(endpointId: string, { reason }: Disabled): void {
    onDisabled(reason)
    log.error('webhook endpoint disabled', { merchant: endpointId, reason })
  }

  return ({ id: endpointId, health }, url, result) => {
    if (!wasSent(result) || !healthAfter(health, { url, result, disableAfterMs }, now())) return Promise.resolve()
    return update(endpointId, url, result).catch((error: unknown) => {
      log.warn('endpoint health update failed', { merchant: endpointId, error })
    })
  }
}
