import { formatSigningSecret, readSigningSecret, Unavailable } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { signedHeaders } from '../clients/webhook/signed-headers.ts'
import { createSessionLimit } from '../domain/session-limit.ts'
import type { Copies, PlacedCopy } from '../persistence/copies.ts'
import type { ListenSecrets } from '../persistence/listen-secrets.ts'

export interface ListenOptions {
  readonly merchantId: string
  readonly credentialId: string
  /** The position up to which the client has everything. */
  readonly after: number | undefined
  /** Without `after`: copies from this time on. Without both: only new ones. */
  readonly since: Date | undefined
}

/** A copy as the client forwards it. */
export interface SentCopy {
  readonly position: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One merchant's view of the copies, in their order, each once. */
export interface ListenSession {
  readonly position: number
  readonly signingSecret: string
  /** The next copies, signed now; none when there are no new ones. */
  next(): Promise<SentCopy[]>
  close(): void
}

/** Throws `too_many_listeners`. */
export type OpenListenSession = (options: ListenOptions) => Promise<ListenSession>

export interface OpenListenSessionOptions {
  readonly copies: Pick<Copies, 'latest' | 'before' | 'after'>
  readonly listenSecrets: ListenSecrets
  readonly sealer: Sealer
  readonly randomBytes: (size: number) => Buffer
  readonly now: () => Date
}

/** At one replica. */
const LIMITS = { perCredential: 2, perMerchant: 5, perReplica: 500 }
const SECRET_BYTES = 32
const PAGE_SIZE = 50
const RETRY_AFTER_SECONDS = 10

/** Sessions read the copies and change nothing: deliveries do not know of them. */
export function makeOpenListenSession(options: OpenListenSessionOptions): OpenListenSession & { readonly open: number } {
  const { copies, now } = options
  const limit = createSessionLimit(LIMITS)

  const open: OpenListenSession = async ({ merchantId, credentialId, after, since }) => {
    const close = limit.tryOpen({ merchantId, credentialId })
    if (!close) {
      const retryAfterSeconds = RETRY_AFTER_SECONDS
      throw new Unavailable('too_many_listeners', 'Too many sessions are open; close one', { retryAfterSeconds })
    }
    try {
      const signingSecret = await secretOf(merchantId, options)
      const start = after ?? (since && (await copies.before(merchantId, since))) ?? (await copies.latest(now()))
      return { position: start, signingSecret, next: reader(merchantId, start, signingSecret), close }
    } catch (error) {
      close()
      throw error
    }
  }

  function reader(merchantId: string, start: number, signingSecret: string): () => Promise<SentCopy[]> {
    const keys = [readSigningSecret(signingSecret)]
    let position = start
    const sent = ({ id, sequence, body, ...copy }: PlacedCopy): SentCopy => {
      const facts = { webhookId: id, attempt: 1, sequence, body, keys, at: now(), copy: true }
      return { position: copy.position, headers: signedHeaders(facts), body }
    }
    return async () => {
      const found = await copies.after(merchantId, position, PAGE_SIZE)
      position = found.at(-1)?.position ?? position
      return found.map(sent)
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
  { listenSecrets, sealer, randomBytes, now }: Omit<OpenListenSessionOptions, 'copies'>,
): Promise<string> {
  const stored = await listenSecrets.find(merchantId)
  if (stored !== undefined) return sealer.open(stored, merchantId).toString('utf8')
  const secret = formatSigningSecret(randomBytes(SECRET_BYTES))
  const added = await listenSecrets.add(merchantId, sealer.seal(Buffer.from(secret), merchantId), now())
  return added ? secret : secretOf(merchantId, { listenSecrets, sealer, randomBytes, now })
}
