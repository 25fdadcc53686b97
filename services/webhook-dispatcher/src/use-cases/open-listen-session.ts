import { formatSigningSecret, readSigningSecret, Unavailable } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { signedHeaders } from '../clients/webhook/signed-headers.ts'
import { earlier, formatProgress, withinTheHour, type Progress } from '../domain/copy.ts'
import { createSessionLimit } from '../domain/session-limit.ts'
import type { Copies, PlacedCopy } from '../persistence/copies.ts'
import type { ListenSecrets } from '../persistence/listen-secrets.ts'
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

/** Throws `too_many_listeners`, and `contention` while other replicas store copies. */
export type OpenListenSession = (options: ListenOptions) => Promise<ListenSession>

export interface OpenListenSessionOptions {
  readonly copies: Pick<Copies, 'latest' | 'after'>
  readonly copyWebhooks: CopyWebhooks
  /** A record becomes visible at most this long after the time of creation that it names. */
  readonly lookBackMs: number
  readonly listenSecrets: Pick<ListenSecrets, 'find' | 'add'>
  readonly sealer: Sealer
  readonly randomBytes: (size: number) => Buffer
  readonly now: () => Date
}

interface Start extends Progress {
  readonly copying: Copying
}

/** At one replica. */
const LIMITS = { perCredential: 2, perMerchant: 5, perReplica: 500 }
const SECRET_BYTES = 32
const PAGE_SIZE = 50
const RETRY_AFTER_SECONDS = 10
/** How often a session checks that its secret is still the merchant's. */
const SECRET_CHECK_MS = 5000

/** A session makes the copies that it sends, from the records of deliveries. Code on the payment path does nothing for it. */
export function makeOpenListenSession(options: OpenListenSessionOptions): OpenListenSession & { readonly open: number } {
  const { copies, copyWebhooks, lookBackMs, now } = options
  const limit = createSessionLimit(LIMITS)

  const open: OpenListenSession = async (asked) => {
    const { merchantId } = asked
    const close = limit.tryOpen(asked)
    if (!close) {
      const retryAfterSeconds = RETRY_AFTER_SECONDS
      throw new Unavailable('too_many_listeners', 'Too many sessions are open; close one', { retryAfterSeconds })
    }
    try {
      const signingSecret = await secretOf(merchantId, options)
      const start = await startOf(asked)
      const [read, isCurrent] = [reader(merchantId, start, signingSecret), secretCheck(merchantId, signingSecret, options)]
      const next = async () => ((await isCurrent()) ? read() : undefined)
      return { progress: formatProgress(start), signingSecret, next, close }
    } catch (error) {
      close()
      throw error
    }
  }

  async function startOf({ merchantId, after, since }: ListenOptions): Promise<Start> {
    const asked = after ?? (since && { position: 0, since })
    if (asked) {
      const start = { position: asked.position, since: withinTheHour(asked.since, now()) }
      return { ...start, copying: copyWebhooks(merchantId, start.since) }
    }
    const recently = earlier(now(), lookBackMs)
    const copying = copyWebhooks(merchantId, recently)
    // Copies what is recorded already, so that the session starts after it.
    await copying.copyNext()
    return { position: await copies.latest(now()), since: recently, copying }
  }

  function reader(merchantId: string, start: Start, signingSecret: string): () => Promise<SentCopy[]> {
    const keys = [readSigningSecret(signingSecret)]
    const { copying } = start
    let { position, since } = start
    let isAllSent = false
    const sent = ({ id, sequence, body, ...copy }: PlacedCopy): SentCopy => {
      const facts = { webhookId: id, attempt: 1, sequence, body, keys, at: now(), copy: true }
      return { progress: formatProgress({ position: copy.position, since }), headers: signedHeaders(facts), body }
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

  return Object.assign(open, {
    get open() {
      return limit.open
    },
  })
}

/** The merchant's listen secret, made at the first session. */
async function secretOf(
  merchantId: string,
  { listenSecrets, sealer, randomBytes, now }: Pick<OpenListenSessionOptions, 'listenSecrets' | 'sealer' | 'randomBytes' | 'now'>,
): Promise<string> {
  const stored = await storedSecret(merchantId, { listenSecrets, sealer })
  if (stored !== undefined) return stored
  const secret = formatSigningSecret(randomBytes(SECRET_BYTES))
  const added = await listenSecrets.add(merchantId, sealer.seal(Buffer.from(secret), merchantId), now())
  return added ? secret : secretOf(merchantId, { listenSecrets, sealer, randomBytes, now })
}

async function storedSecret(
  merchantId: string,
  { listenSecrets, sealer }: Pick<OpenListenSessionOptions, 'listenSecrets' | 'sealer'>,
): Promise<string | undefined> {
  const stored = await listenSecrets.find(merchantId)
  return stored === undefined ? undefined : sealer.open(stored, merchantId).toString('utf8')
}

/** Whether this is still the merchant's secret; reads the store at most every `SECRET_CHECK_MS`. */
function secretCheck(
  merchantId: string,
  signingSecret: string,
  { now, ...store }: Pick<OpenListenSessionOptions, 'listenSecrets' | 'sealer' | 'now'>,
): () => Promise<boolean> {
  let dueMs = now().getTime() + SECRET_CHECK_MS
  return async () => {
    if (now().getTime() < dueMs) return true
    dueMs = now().getTime() + SECRET_CHECK_MS
    return (await storedSecret(merchantId, store)) === signingSecret
  }
}
