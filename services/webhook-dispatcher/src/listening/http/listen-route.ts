import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Router, type Response } from 'express'
import { instantOf, listenQuery, ValidationFailed } from '@gateway/contracts'
import { describeError, type Log, type Stoppable } from '@gateway/service-kit'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import { parseProgress, type Progress } from '../domain/copy.ts'
import type { ListenSession, ListenSessions, SentCopy } from '../use-cases/listen-sessions.ts'

/** The times of a stream, in milliseconds, and its size; tests set shorter ones. */
export interface StreamLimits {
  readonly sessionMs: number
  readonly heartbeatMs: number
  /** Pause after a read that found nothing. */
  readonly idleMs: number
  readonly maxUnreadBytes: number
  /** How long a client may leave that much unread. */
  readonly maxStalledMs: number
}

export const STREAM_LIMITS: StreamLimits = {
  sessionMs: 15 * 60_000,
  heartbeatMs: 15_000,
  idleMs: 300,
  maxUnreadBytes: 256 * 1024,
  maxStalledMs: 30_000,
}

export interface ListenRouteOptions {
  readonly identify: Identify
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
export function listenRoute({ identify, listenSessions, limits = STREAM_LIMITS, log, now }: ListenRouteOptions): ListenRoute {
  const stopping = new AbortController()
  const router = Router().get('/api/v1/webhooks/listen', async (request, response) => {
    const { merchantId, credentialId, credentialEndsAt } = await identify(request, 'webhooks')
    const { since } = listenQuery.parse({ ...request.query })
    const after = readProgress(request.get('last-event-id'))
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

type EndReason = 'session_over' | 'stopping' | 'unavailable'

interface StreamOptions {
  readonly limits: StreamLimits
  /** When the credential that opened it expires. */
  readonly endsByMs: number
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal
  readonly log: Log
  readonly now: () => Date
}

/** Sends a session as server-sent events (docs/design-public-api.md) until it is over, and closes it. */
async function streamSession(response: Response, session: ListenSession, options: StreamOptions): Promise<void> {
  const { limits, now, log } = options
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  if (response.closed) gone.abort()
  const endsAtMs = Math.min(now().getTime() + limits.sessionMs, options.endsByMs)
  try {
    response.status(200).set({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
    const ready = { signing_secret: session.signingSecret, ends_at: new Date(endsAtMs).toISOString() }
    response.write(eventText('ready', ready, session.progress))
    const reason = await sendCopies(response, session, { ...options, gone: gone.signal, endsAtMs })
    if (reason !== undefined) response.end(eventText('end', { reason }))
  } catch (error) {
    log.warn('listen session failed', { error: describeError(error) })
    if (!gone.signal.aborted) response.end(eventText('end', { reason: 'unavailable' satisfies EndReason }))
  } finally {
    session.close()
  }
}

/** Resolves to why the session ends; `undefined` when the connection is closed already. */
async function sendCopies(
  response: Response,
  session: ListenSession,
  { limits, stopping, now, gone, endsAtMs }: StreamOptions & { readonly gone: AbortSignal; readonly endsAtMs: number },
): Promise<EndReason | undefined> {
  const interrupted = AbortSignal.any([gone, stopping])
  let heartbeatAtMs = now().getTime() + limits.heartbeatMs
  for (;;) {
    if (gone.aborted) return undefined
    if (stopping.aborted) return 'stopping'
    if (now().getTime() >= endsAtMs) return 'session_over'
    const copies = await session.next()
    if (!copies) return 'session_over'
    for (const copy of copies) {
      if (now().getTime() >= endsAtMs) return 'session_over'
      if (!(await writeBounded(response, copyText(copy), limits, gone))) return undefined
    }
    if (copies.length > 0) heartbeatAtMs = now().getTime() + limits.heartbeatMs
    else await sleep(limits.idleMs, undefined, { signal: interrupted }).catch(() => undefined)
    if (now().getTime() < heartbeatAtMs) continue
    if (!(await writeBounded(response, ': heartbeat\n\n', limits, gone))) return undefined
    heartbeatAtMs = now().getTime() + limits.heartbeatMs
  }
}

/** Waits while too much is unread. False when the connection is closed, which a client that does not read brings about. */
async function writeBounded(response: Response, text: string, limits: StreamLimits, gone: AbortSignal): Promise<boolean> {
  if (response.writableLength + Buffer.byteLength(text) > limits.maxUnreadBytes && response.writableNeedDrain) {
    const signal = AbortSignal.any([gone, AbortSignal.timeout(limits.maxStalledMs)])
    await once(response, 'drain', { signal }).catch(() => response.destroy())
  }
  if (gone.aborted || response.destroyed) return false
  response.write(text)
  return true
}

function copyText({ progress, headers, body }: SentCopy): string {
  return eventText('webhook', { headers, body }, progress)
}

/** `JSON.stringify` makes no line breaks, so the data is one line. */
function eventText(event: string, data: object, id?: string): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}
