import { readSigningSecret, Unavailable } from '@gateway/contracts'
import type { ListenSecrets } from '../../endpoints/index.ts'
import { signedHeaders } from '../../sending/index.ts'
import { earlier, formatProgress, withinTheHour, type Progress } from '../domain/copy.ts'
import type { Copies, PlacedCopy } from '../persistence/copies.ts'
import type { Copying, CopyWebhooks } from './copy-webhooks.ts'

export interface ListenOptions {
  readonly merchantId: string
  readonly credentialId: string
  /** How far the client's last session came. */
  readonly after: Progress | undefined
  /** Without `after`: copies from this time on. Without both: only new ones. */
  readonly since: Date | undefined
}

/** A copy as the client forwards it. */
export interface SentCopy {
  /** The session's progress with this copy, for `Last-Event-ID`. */
  readonly progress: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One merchant's view of the copies, in their order, each once. */
export interface ListenSession {
  /** Where the session begins. */
  readonly progress: string
  readonly signingSecret: string
  /** The next copies, signed now; empty without new ones. `undefined` when the merchant's listen secret has changed. */
  next(): Promise<SentCopy[] | undefined>
  close(): void
}

export type ListenSessions = ReturnType<typeof createListenSessions>

export interface ListenSessionsOptions {
  readonly copies: Pick<Copies, 'latest' | 'after'>
  readonly copyWebhooks: CopyWebhooks
  /** A record becomes visible at most this long after the time of creation that it names. */
  readonly lookBackMs: number
  readonly listenSecrets: Pick<ListenSecrets, 'find' | 'findOrAdd'>
  readonly now: () => Date
}

type Start = Progress & { readonly copying: Copying }

/** At one replica. */
const LIMITS = { perCredential: 2, perMerchant: 5, perReplica: 500 }
const PAGE_SIZE = 50
const COPY_MARK = { 'webhook-copy': 'listen' } as const
const RETRY_AFTER_SECONDS = 10
/** How often a session checks that its secret is still the merchant's. */
const SECRET_CHECK_MS = 5000

/** A session makes the copies that it sends, from the records of deliveries. Code on the payment path does nothing for it. */
export function createListenSessions(options: ListenSessionsOptions) {
  const { copies, copyWebhooks, lookBackMs, now } = options
  const sessions = new Set<ListenOptions>()

  /** Throws `too_many_listeners`, and `contention` while other replicas store copies. */
  async function open(wanted: ListenOptions): Promise<ListenSession> {
    const { merchantId } = wanted
    refuseTooMany(sessions, wanted)
    sessions.add(wanted)
    const close = () => void sessions.delete(wanted)
    try {
      const signingSecret = await options.listenSecrets.findOrAdd(merchantId)
      const start = await startOf(wanted)
      const [read, isCurrent] = [reader(merchantId, start, signingSecret), secretCheck(merchantId, signingSecret, options)]
      const next = async () => ((await isCurrent()) ? read() : undefined)
      return { progress: formatProgress(start), signingSecret, next, close }
    } catch (error) {
      close()
      throw error
    }
  }

  async function startOf({ merchantId, after, since }: ListenOptions): Promise<Start> {
    const from = after ?? (since && { position: 0, since })
    if (from) {
      const start = { position: from.position, since: withinTheHour(from.since, now()) }
      return { ...start, copying: copyWebhooks(merchantId, start.since) }
    }
    const recently = earlier(now(), lookBackMs)
    const copying = copyWebhooks(merchantId, recently)
    // Copies what is recorded already, so that the session starts after it.
    await copying.copyNext()
    return { position: await copies.latest(), since: recently, copying }
  }

  function reader(merchantId: string, start: Start, signingSecret: string): () => Promise<SentCopy[]> {
    const keys = [readSigningSecret(signingSecret)]
    const { copying } = start
    let { position, since } = start
    let isAllSent = false
    const sent = ({ id, sequence, body, ...copy }: PlacedCopy): SentCopy => {
      const webhook = { webhookId: id, attempt: 1, sequence, body, keys, at: now(), mark: COPY_MARK }
      return { progress: formatProgress({ position: copy.position, since }), headers: signedHeaders(webhook), body }
    }

    async function nextPage(): Promise<SentCopy[]> {
      const found = await copies.after(merchantId, since, position, PAGE_SIZE)
      const page = found.map(sent)
      position = found.at(-1)?.position ?? position
      isAllSent = found.length < PAGE_SIZE
      // A session that continues this one need not look through what was sent.
      if (isAllSent && copying.completeUntil > since) since = copying.completeUntil
      return page
    }

    return async () => {
      for (;;) {
        const page = isAllSent ? [] : await nextPage()
        if (page.length > 0) return page
        const { mayHaveCopied, isComplete } = await copying.copyNext()
        if (mayHaveCopied) isAllSent = false
        else if (isComplete) return []
      }
    }
  }

  return {
    open,
    /** How many are open at this replica. */
    get count(): number {
      return sessions.size
    },
  }
}

/** Throws `too_many_listeners`. */
function refuseTooMany(sessions: ReadonlySet<ListenOptions>, { merchantId, credentialId }: ListenOptions): void {
  const count = (matches: (session: ListenOptions) => boolean) => [...sessions].filter(matches).length
  if (
    sessions.size < LIMITS.perReplica &&
    count((session) => session.merchantId === merchantId) < LIMITS.perMerchant &&
    count((session) => session.credentialId === credentialId) < LIMITS.perCredential
  )
    return
  const retryAfterSeconds = RETRY_AFTER_SECONDS
  throw new Unavailable('too_many_listeners', 'Too many sessions are open; close one', { retryAfterSeconds })
}

/** Whether this is still the merchant's secret; reads the store at most every `SECRET_CHECK_MS`. */
function secretCheck(
  merchantId: string,
  signingSecret: string,
  { now, listenSecrets }: Pick<ListenSessionsOptions, 'listenSecrets' | 'now'>,
): () => Promise<boolean> {
  let dueMs = now().getTime() + SECRET_CHECK_MS
  return async () => {
    if (now().getTime() < dueMs) return true
    dueMs = now().getTime() + SECRET_CHECK_MS
    return (await listenSecrets.find(merchantId)) === signingSecret
  }
}
