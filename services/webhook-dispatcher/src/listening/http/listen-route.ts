import { Router } from 'express'
import { instantOf, listenQuery, ValidationFailed } from '@gateway/contracts'
import type { Log, Stoppable } from '@gateway/service-kit'
import { merchantOf, type RequireMerchant } from '@gateway/service-kit/merchant-auth'
import { parseProgress, type Progress } from '../domain/copy.ts'
import type { ListenSessions } from '../use-cases/listen-sessions.ts'
import { STREAM_LIMITS, streamSession, type StreamLimits } from './listen-stream.ts'

export interface ListenRouteOptions {
  readonly requireMerchant: RequireMerchant
  readonly listenSessions: Pick<ListenSessions, 'open'>
  readonly limits?: StreamLimits
  readonly log: Log
  readonly now: () => Date
}

/** `GET /api/v1/webhooks/listen`: copies of a merchant's webhooks as server-sent events. Sandbox only. */
export interface ListenRoute extends Stoppable {
  readonly router: Router
}

/** Stopping ends every open stream, so that its client connects to another replica. */
export function listenRoute({
  requireMerchant,
  listenSessions,
  limits = STREAM_LIMITS,
  log,
  now,
}: ListenRouteOptions): ListenRoute {
  const stopping = new AbortController()
  const router = Router().get('/api/v1/webhooks/listen', requireMerchant('webhooks'), async (request, response) => {
    const { since } = listenQuery.parse({ ...request.query })
    const after = readProgress(request.get('last-event-id'))
    const { merchantId, credentialId, credentialEndsAt } = merchantOf(response)
    const session = await listenSessions.open({ merchantId, credentialId, after, since: instantOf(since) })
    const endsByMs = credentialEndsAt?.getTime() ?? Infinity
    await streamSession(response, session, { limits, endsByMs, stopping: stopping.signal, log, now })
  })
  const stop = (): Promise<void> => {
    stopping.abort()
    return Promise.resolve()
  }
  return { name: 'listen', router, stop }
}

function readProgress(lastEventId: string | undefined): Progress | undefined {
  if (lastEventId === undefined || lastEventId === '') return undefined
  const progress = parseProgress(lastEventId)
  if (progress) return progress
  throw new ValidationFailed([{ field: '/last-event-id', message: 'must be the id of an event of an earlier session' }])
}
