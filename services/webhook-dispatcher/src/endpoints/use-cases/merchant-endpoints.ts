import { formatSigningSecret, Refused, Unavailable, ValidationFailed } from '@gateway/contracts'
import type { Begin, Sealer } from '@gateway/service-kit'
import { register, registrationAt, rotateSecrets, type Endpoint, type Registration } from '../domain/endpoint.ts'
import { disabledOf, enabled, type Disabled } from '../domain/endpoint-health.ts'
import type { EndpointId } from '../domain/endpoint-id.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { endpointNotFound, makeChangeEndpoint } from './change-endpoint.ts'
import { ENDPOINT_CACHE_MS } from './find-endpoint.ts'

/** The URL that new orders are bound to. */
export interface CurrentEndpoint extends Registration {
  readonly disabled: Disabled | null
}

export interface Registered extends Registration {
  /** Only after the first registration. */
  readonly signingSecret?: string
}

export interface SecretRotation {
  readonly signingSecret: string
  /** Until then webhooks are signed with the previous secret, too. */
  readonly previousUntil: Date
}

export type MerchantEndpoints = ReturnType<typeof createMerchantEndpoints>

export interface MerchantEndpointsOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save' | 'remove'>
  readonly sealer: Pick<Sealer, 'seal'>
  /** Why the URL cannot be an endpoint; `undefined` when it can. */
  readonly refusalOf: (url: string) => Promise<string | undefined>
  readonly randomBytes: (size: number) => Buffer
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}

const SECRET_BYTES = 32

/** Covers the rounding of clocks and timers. */
const CLOCK_ROUNDING_MS = 10

/** What a merchant does with its endpoints. All but `register` throw `endpoint_not_found`. */
export function createMerchantEndpoints(options: MerchantEndpointsOptions) {
  const { endpoints, sealer, refusalOf, randomBytes, now, waitUntil } = options
  const change = makeChangeEndpoint(endpoints)

  /** After this wait no replica has the earlier state in its cache. */
  const untilSeen = () => waitUntil(now().getTime() + ENDPOINT_CACHE_MS)

  function newSecret(id: EndpointId) {
    const text = formatSigningSecret(randomBytes(SECRET_BYTES))
    return { text, sealed: sealer.seal(Buffer.from(text), id) }
  }

  /** Refuses a URL that is known to be wrong, and a change above the rate limit: its lookup would tell about the operator's network. */
  async function checkUrl(id: EndpointId, url: string): Promise<void> {
    decideRegistration((await endpoints.find(id))?.endpoint, url, now())
    const refusal = await refusalOf(url)
    if (refusal !== undefined) throw new ValidationFailed([{ field: '/url', message: refusal }])
  }

  return {
    async read(id: EndpointId): Promise<CurrentEndpoint> {
      return currentOf((await endpoints.find(id))?.endpoint, now())
    },

    /** Registers a URL for all orders created from `since` on, and answers just after `since` (design, section 5). */
    async register(id: EndpointId, url: string, begin: Begin): Promise<Registered> {
      await checkUrl(id, url)
      const registered = await change<Registered>(id, begin, (before) => {
        const decision = decideRegistration(before, url, now())
        const { registration } = decision
        if (decision.kind === 'unchanged') return { changed: false, result: registration }
        const { registrations, health } = decision
        if (before) return { changed: true, endpoint: { ...before, registrations, health }, result: registration }
        const { text, sealed } = newSecret(id)
        const endpoint = { id, registrations, health, secrets: [{ sealed, until: null }] }
        return { changed: true, endpoint, result: { ...registration, signingSecret: text } }
      })
      // After this wait no replica's cache is older than the registration, however long the write took.
      await waitUntil(Math.max(registered.since.getTime(), now().getTime() + ENDPOINT_CACHE_MS) + CLOCK_ROUNDING_MS)
      return registered
    },

    /** Enables the current URL if it is disabled. Missed webhooks are not sent: the merchant asks for them with `…/recover`. */
    async enable(id: EndpointId, begin: Begin): Promise<CurrentEndpoint> {
      const { changed, ...current } = await change(id, begin, (before) => {
        const { disabled, ...registration } = currentOf(before, now())
        const result = { ...registration, disabled: null, changed: disabled !== null }
        if (!before || !disabled) return { changed: false, result }
        return { changed: true, endpoint: { ...before, health: enabled(before.health, registration.url) }, result }
      })
      if (changed) await untilSeen()
      return current
    },

    /** Creates a new signing secret; the previous one signs too for 24 h (design, section 5). */
    async rotateSecret(id: EndpointId, begin: Begin): Promise<SecretRotation> {
      const rotation = await change(id, begin, (before) => {
        if (!before) throw endpointNotFound()
        const { text, sealed } = newSecret(id)
        const secrets = rotateSecrets(before, sealed, now())
        if (!secrets) throw new Refused('too_many_secrets', 'The secret was rotated too often; try again in an hour')
        // All but the current secret have an end.
        const result = { signingSecret: text, previousUntil: secrets[1]?.until ?? now() }
        return { changed: true, endpoint: { ...before, secrets }, result }
      })
      // Then every replica signs with the new secret: the merchant may verify with it alone.
      await untilSeen()
      return rotation
    },
  }
}

function currentOf(endpoint: Endpoint | undefined, now: Date): CurrentEndpoint {
  const registration = registrationAt(endpoint, now)
  if (!endpoint || !registration) throw endpointNotFound()
  return { ...registration, disabled: disabledOf(endpoint.health, registration.url) ?? null }
}

/** Throws `rate_limited`. */
function decideRegistration(before: Endpoint | undefined, url: string, now: Date) {
  const decision = register(before, url, now)
  if (decision.kind !== 'too_often') return decision
  const retryAfterSeconds = Math.max(1, Math.ceil(decision.waitMs / 1000))
  throw new Unavailable('rate_limited', 'The endpoint was changed too often; try again later', { retryAfterSeconds })
}
