import { sign, type Gateway } from '@gateway/sdk'
import { createLock, pause, SetupError, type World } from './bench/world.ts'
import { createReport, type Report } from './report/report.ts'
import { redactUrl } from './redact.ts'
import { runChecks } from './run.ts'
import { TIMING, type Timing } from './timing.ts'
import { exchange } from './exchange.ts'
import { createInbox, type Copy, type Inbox } from './wire/inbox.ts'
import { createProbe, ProbeError } from './wire/probe.ts'
import { startProxy, type Proxy } from './wire/proxy.ts'

/** Why a receiver cannot be certified now: one sentence for its developer. */
export class CertifyError extends Error {
  /** Nothing answers, rather than being set up wrongly. */
  readonly isUnavailable: boolean

  constructor(message: string, { isUnavailable = false } = {}) {
    super(message)
    this.isUnavailable = isUnavailable
  }
}

/** How to follow the merchant's events. */
export interface ListenOptions {
  readonly gateway: Gateway
  readonly baseUrl: string
  /** Copies since this time come first. */
  readonly since: Date | undefined
  /** Called once with the secret that signs the copies, when the first session is open; `false` ends listening. */
  readonly onReady: (signingSecret: string) => boolean
  readonly onCopy: (copy: Copy) => Promise<void>
  readonly note: (text: string) => void
  /** Ends listening. */
  readonly signal?: AbortSignal
}

export interface CertifyOptions {
  readonly gateway: Gateway
  readonly gatewayUrl: string
  /** Rejects when the gateway refuses the session. */
  readonly listen: (options: ListenOptions) => Promise<void>
  readonly receiver: URL
  readonly probe: URL | undefined
  /** Where the proxy listens. */
  readonly host: string
  readonly port: number
  /** The receiver's signing secret. `undefined`: the merchant's listen secret. */
  readonly signingSecret: string | undefined
  readonly only: readonly number[] | undefined
  /** Never shown in the report. */
  readonly secrets: readonly string[]
  readonly timing?: Timing
  /** Progress, for people. */
  readonly note: (text: string) => void
}

/** Certifies a receiver. Throws when the gateway or the receiver cannot be reached, or the test instance is not set up. */
export async function certify(options: CertifyOptions): Promise<Report> {
  const startedAt = new Date()
  const proxy = await openProxy(options)
  const ending = new AbortController()
  const inbox = createInbox()
  try {
    options.note(`the test instance must use the base URL ${proxy.url}`)
    const session = followEvents(options, inbox, ending.signal)
    const listenSecret = await session.secret
    await Promise.race([untilReachable(options, ending.signal), session.ended])
    const secret = options.signingSecret ?? listenSecret
    // Throws for an invalid signing secret before anything is sent.
    await sign('', secret)
    const running = runChecks(worldOf(options, { proxy, inbox, secret, signal: ending.signal }), {
      only: options.only,
      secrets: [...options.secrets, listenSecret, secret],
      onBegin: ({ check, title }) => options.note(`${String(check).padStart(2)}  ${title}`),
    })
    const checks = await Promise.race([running, session.ended])
    return createReport({
      started_at: startedAt.toISOString(),
      ended_at: new Date().toISOString(),
      gateway: options.gatewayUrl,
      receiver: redactUrl(options.receiver),
      probe: options.probe ? redactUrl(options.probe) : null,
      checks,
    })
  } catch (error) {
    if (error instanceof SetupError || error instanceof ProbeError) throw new CertifyError(error.message)
    throw error
  } finally {
    ending.abort()
    await proxy.stop()
  }
}

function worldOf(
  { gateway, receiver, probe, timing = TIMING }: CertifyOptions,
  parts: { proxy: Proxy; inbox: Inbox; secret: string; signal: AbortSignal },
): World {
  const locks = { opening: createLock(), sending: createLock() }
  return { gateway, receiver, probe: probe && createProbe(probe, parts.signal), timing, ...locks, ...parts }
}

async function openProxy({ gatewayUrl, host, port }: CertifyOptions): Promise<Proxy> {
  try {
    return await startProxy(gatewayUrl, host, port)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CertifyError(`The proxy cannot listen on ${host}:${port} (${code}): choose another port with --port`)
  }
}

/** Keeps the merchant's events and forwards none. `ended` never resolves; both promises reject when the session is refused. */
function followEvents({ gateway, gatewayUrl, listen, note }: CertifyOptions, inbox: Inbox, signal: AbortSignal) {
  const ready = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<never>()
  listen({
    gateway,
    baseUrl: gatewayUrl,
    since: undefined,
    note,
    signal,
    onReady(secret) {
      ready.resolve(secret)
      return true
    },
    onCopy(copy) {
      inbox.add(copy)
      return Promise.resolve()
    },
  }).catch((error: unknown) => {
    ready.reject(error)
    ended.reject(error)
  })
  ended.promise.catch(() => undefined)
  return { secret: ready.promise, ended: ended.promise }
}

const REACHABLE_POLL_MS = 500

async function untilReachable({ receiver, timing = TIMING, note }: CertifyOptions, signal: AbortSignal): Promise<void> {
  const endsAtMs = Date.now() + timing.reachableMs
  for (let isFirst = true; ; isFirst = false) {
    const { status, error } = await exchange(receiver, { method: 'GET', headers: {}, body: '' }, timing.answerMs, signal)
    if (status !== null) return
    const away = `The receiver at ${redactUrl(receiver)} does not answer (${error ?? ''})`
    if (Date.now() > endsAtMs) throw new CertifyError(away, { isUnavailable: true })
    if (isFirst) note(`${away}; waiting for it`)
    await pause(REACHABLE_POLL_MS, signal)
  }
}
