import { formatSigningSecret, Refused, Unavailable } from '@gateway/contracts'
import type { Begin, Sealer } from '@gateway/service-kit'
import { rotateSecrets } from '../domain/endpoint.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { ENDPOINT_CACHE_MS } from '../endpoint-directory/find-endpoint.ts'
import { endpointNotFound } from './read-endpoint.ts'

export type RotateSecret = (merchantId: string, begin: Begin) => Promise<SecretRotation>

export interface SecretRotation {
  readonly signingSecret: string
  /** Until then webhooks are signed with the previous secret, too. */
  readonly previousUntil: Date
}

export interface RotateSecretOptions {
  readonly endpoints: Endpoints
  readonly sealer: Sealer
  readonly randomBytes: (size: number) => Buffer
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}

const SECRET_BYTES = 32
const MAX_TRIES = 10

/** Creates a new signing secret; the previous one signs too for 24 h (design, section 5). */
export function makeRotateSecret({ endpoints, sealer, randomBytes, now, waitUntil }: RotateSecretOptions): RotateSecret {
  return async (merchantId, begin) => {
    for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
      const before = await endpoints.find(merchantId)
      if (!before) throw endpointNotFound()
      const secret = formatSigningSecret(randomBytes(SECRET_BYTES))
      const secrets = rotateSecrets(before.endpoint, sealer.seal(Buffer.from(secret), merchantId), now())
      if (!secrets) throw new Refused('too_many_secrets', 'The secret was rotated too often; try again in an hour')
      if (tryNumber === 1) await begin()
      if (!(await endpoints.save({ ...before.endpoint, secrets }, before))) continue
      // After this wait every replica signs with the new secret: the merchant may verify with it alone.
      await waitUntil(now().getTime() + ENDPOINT_CACHE_MS)
      // All but the current secret have an end.
      return { signingSecret: secret, previousUntil: secrets[1]?.until ?? now() }
    }
    throw new Unavailable('endpoint_busy', 'The endpoint is being changed by many requests; try again')
  }
}
