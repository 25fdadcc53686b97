import { formatSigningSecret, Unavailable, ValidationFailed } from '@gateway/contracts'
import type { Begin, Sealer } from '@gateway/service-kit'
import { createCounter } from '../admission/counter.ts'
import { register, registerWaitMs, type Endpoint, type Registration } from '../domain/endpoint.ts'
import { disabledOf, enabled } from '../domain/endpoint-health.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { ENDPOINT_CACHE_MS } from '../endpoint-directory/find-endpoint.ts'

export interface Registered extends Registration {
  /** Only after the first registration. */
  readonly signingSecret?: string
}

export type RegisterEndpoint = (endpointId: string, url: string, begin: Begin) => Promise<Registered>

export interface RegisterEndpointOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save'>
  readonly sealer: Pick<Sealer, 'seal'>
  /** Why the URL cannot be an endpoint; `undefined` when it can. */
  readonly refusalOf: (url: string) => Promise<string | undefined>
  readonly randomBytes: (size: number) => Buffer
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}

const SECRET_BYTES = 32
const MAX_TRIES = 10
/** Each may wait seconds for a name's server: a merchant with slow names gets no more of them at once. */
const MAX_CHECKS_PER_MERCHANT = 10

/** Covers the rounding of clocks and timers. */
const CLOCK_ROUNDING_MS = 10

/** Registers a URL for all orders created from `since` on, and answers just after `since` (design, section 5). */
export function makeRegisterEndpoint(options: RegisterEndpointOptions): RegisterEndpoint {
  const { endpoints, sealer, refusalOf, randomBytes, now, waitUntil } = options
  const checks = createCounter()

  return async (endpointId, url, begin) => {
    await check(endpointId, url)
    const { registration, signingSecret } = await save(endpointId, url, begin)
    // After this wait no replica's cache is older than the registration, however long the write took.
    await waitUntil(Math.max(registration.since.getTime(), now().getTime() + ENDPOINT_CACHE_MS) + CLOCK_ROUNDING_MS)
    return signingSecret === undefined ? registration : { ...registration, signingSecret }
  }

  async function check(endpointId: string, url: string): Promise<void> {
    if (checks.of(endpointId) >= MAX_CHECKS_PER_MERCHANT) throw endpointBusy()
    checks.add(endpointId, 1)
    try {
      // A change above the rate limit looks up no name: the answer would tell whether the name leads into the operator's network.
      const before = await endpoints.find(endpointId)
      if (!register(before?.endpoint, url, now())) throw changedTooOften(registerWaitMs(before?.endpoint, now()))
      const refusal = await refusalOf(url)
      if (refusal !== undefined) throw new ValidationFailed([{ field: '/url', message: refusal }])
    } finally {
      checks.add(endpointId, -1)
    }
  }

  /** Reads, decides, saves over the version that was read. Of two concurrent calls one fails the guard and starts again. */
  async function save(
    endpointId: string,
    url: string,
    begin: Begin,
  ): Promise<{ registration: Registration; signingSecret?: string }> {
    for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
      const before = await endpoints.find(endpointId)
      const at = now()
      const registrations = register(before?.endpoint, url, at)
      const registration = registrations?.at(-1)
      if (!registrations || !registration) throw changedTooOften(registerWaitMs(before?.endpoint, at))
      if (before && isRegistered(before.endpoint, url)) return { registration }

      if (tryNumber === 1) await begin()
      const signingSecret = before ? undefined : formatSigningSecret(randomBytes(SECRET_BYTES))
      const secrets = before?.endpoint.secrets ?? [sealed(endpointId, signingSecret ?? '')]
      // Registering a disabled URL enables it.
      const health = enabled(before?.endpoint.health ?? [], url)
      if (await endpoints.save({ id: endpointId, registrations, secrets, health }, before)) {
        return signingSecret === undefined ? { registration } : { registration, signingSecret }
      }
    }
    throw endpointBusy()
  }

  function sealed(endpointId: string, signingSecret: string): Endpoint['secrets'][number] {
    return { sealed: sealer.seal(Buffer.from(signingSecret), endpointId), until: null }
  }
}

/** True when a registration of the URL would change nothing. */
function isRegistered({ registrations, health }: Endpoint, url: string): boolean {
  return registrations.at(-1)?.url === url && !disabledOf(health, url)
}

function endpointBusy(): Unavailable {
  return new Unavailable('endpoint_busy', 'The endpoint is being changed by many requests; try again')
}

function changedTooOften(waitMs: number): Unavailable {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Unavailable('rate_limited', 'The endpoint was changed too often; try again later', { retryAfterSeconds })
}
