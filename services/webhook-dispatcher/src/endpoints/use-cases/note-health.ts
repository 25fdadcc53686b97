import type { Log } from '@gateway/service-kit'
import { type AttemptResult, wasSent } from '../../sending/index.ts'
import type { Endpoint } from '../domain/endpoint.ts'
import { disabledOf, healthAfter, type DisabledReason } from '../domain/endpoint-health.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { makeChangeEndpoint, type EndpointDecision } from './change-endpoint.ts'

/** Updates the health of one of the endpoint's URLs after an exchange. Never rejects: the next result repeats the update. */
export type NoteHealth = (known: Endpoint, url: string, result: AttemptResult) => Promise<void>

export interface NoteHealthOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save' | 'remove'>
  readonly disableAfterMs: number
  /** Called each time that a URL is disabled, by the replica that disabled it. */
  readonly onDisabled: (reason: DisabledReason) => void
  readonly log: Log
  readonly now: () => Date
}

type Decision = EndpointDecision<DisabledReason | undefined>

/** In the common case nothing changes, which the cached endpoint shows without a database call. */
export function makeNoteHealth({ endpoints, disableAfterMs, onDisabled, log, now }: NoteHealthOptions): NoteHealth {
  const change = makeChangeEndpoint(endpoints)

  function decide(before: Endpoint | undefined, url: string, result: AttemptResult): Decision {
    // A URL that was replaced long ago is forgotten, and its health with it.
    if (!before?.registrations.some((registration) => registration.url === url)) return { changed: false, result: undefined }
    const decision = healthAfter(before.health, { url, result, disableAfterMs }, now())
    if (!decision.changed) return { changed: false, result: undefined }
    const { health } = decision
    return { changed: true, endpoint: { ...before, health }, result: disabledOf(health, url)?.reason }
  }

  return async ({ id: endpoint, health }, url, result) => {
    if (!wasSent(result) || !healthAfter(health, { url, result, disableAfterMs }, now()).changed) return
    try {
      const reason = await change(endpoint, undefined, (before) => decide(before, url, result))
      if (!reason) return
      onDisabled(reason)
      log.error('webhook endpoint disabled', { endpoint, reason })
    } catch (error) {
      log.warn('endpoint health update failed', { endpoint, error })
    }
  }
}
