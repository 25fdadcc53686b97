import { formatSigningSecret, readSigningSecret, Unavailable } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { signedHeaders } from '../clients/webhook/signed-headers.ts'
import { COPY_TTL_MS, formatProgress, type Progress } from '../domain/copy.ts'
import { createSessionLimit } from '../domain/session-limit.ts'
import type { Copies, PlacedCopy } from '../persistence/copies.ts'
import type { ListenSecrets } from '../persistence/listen-secrets.ts'
import { earlier, type Copying, type CopyWebhooks } from './copy-webhooks.ts'

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
  /** The next copies, signed now; none when there are no new ones. */
  next(): Promise<SentCopy[]>
  close(): void
}

/** Throws `too_many_listeners`. */
export type OpenListenSession = (options: ListenOptions) => Promise<ListenSession>

export interface OpenListenSessionOptions {
  readonly copies: Pick<Copies, 'latest' | 'before' | 'after'>
  readonly copyWebhooks: CopyWebhooks
  /** A record can become visible this long after the time of creation that it names. */
  readonly lookBackMs: number
  readonly listenSecrets: ListenSecrets
  readonly sealer: Sealer
  readonly randomBytes: (size: number) => Buffer
  readonly now: () => Date
}

type Start = Progress & { readonly since: Date }

/** At one replica. */
const LIMITS = { perCredential: 2, perMerchant: 5, perReplica: 500 }
const SECRET_BYTES = 32
const PAGE_SIZE = 50
const RETRY_AFTER_SECONDS = 10

/** A session makes the copies that it sends, from the records of deliveries: deliveries do not know of it. */
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
      const { start, copying } = await startOf(asked)
      return {
        progress: formatProgress(start),
        signingSecret,
        next: reader(merchantId, { start, copying, signingSecret }),
        close,
      }
    } catch (error) {
      close()
      throw error
    }
  }

  async function startOf({ merchantId, after, since }: ListenOptions): Promise<{ start: Start; copying: Copying }> {
    if (after) {
      const start = { ...after, since: after.since ?? earlier(now(), COPY_TTL_MS) }
      return { start, copying: copyWebhooks(merchantId, start.since) }
    }
    if (since) {
      // By the clock of the replica that stored it, a copy may be older than its webhook.
      const position = (await copies.before(merchantId, earlier(since, lookBackMs))) ?? (await copies.latest(now()))
      return { start: { position, since }, copying: copyWebhooks(merchantId, since) }
    }
    const recently = earlier(now(), lookBackMs)
    const copying = copyWebhooks(merchantId, recently)
    // What is recorded by now is not new, even if its copy is.
    await copying.copyNew()
    return { start: { position: await copies.latest(now()), since: recently }, copying }
  }

  function reader(
    merchantId: string,
    { start, copying, signingSecret }: { start: Start; copying: Copying; signingSecret: string },
  ): () => Promise<SentCopy[]> {
    const keys = [readSigningSecret(signingSecret)]
    let { position, since } = start
    let isAllSent = false
    const sent = ({ id, sequence, body, ...copy }: PlacedCopy): SentCopy => {
      const facts = { webhookId: id, attempt: 1, sequence, body, keys, at: now(), copy: true }
      return { progress: formatProgress({ position: copy.position, since }), headers: signedHeaders(facts), body }
    }
    async function nextPage(): Promise<SentCopy[]> {
      const found = await copies.after(merchantId, position, PAGE_SIZE)
      // Another session may have copied older webhooks since.
      const wanted = found.filter(({ createdAt }) => createdAt >= since).map(sent)
      position = found.at(-1)?.position ?? position
      isAllSent = found.length < PAGE_SIZE
      if (isAllSent && copying.completeUntil > since) since = copying.completeUntil
      return wanted
    }

    return async () => {
      if (await copying.copyNew()) isAllSent = false
      let page: SentCopy[] = []
      while (page.length === 0 && !isAllSent) page = await nextPage()
      return page
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
  const stored = await listenSecrets.find(merchantId)
  if (stored !== undefined) return sealer.open(stored, merchantId).toString('utf8')
  const secret = formatSigningSecret(randomBytes(SECRET_BYTES))
  const added = await listenSecrets.add(merchantId, sealer.seal(Buffer.from(secret), merchantId), now())
  return added ? secret : secretOf(merchantId, { listenSecrets, sealer, randomBytes, now })
}
