import { formatSigningSecret } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { endpointIdOf, type EndpointId } from '../domain/endpoint-id.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { makeChangeEndpoint } from './change-endpoint.ts'

export type ListenSecrets = ReturnType<typeof createListenSecrets>

export interface ListenSecretsOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save' | 'remove'>
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  readonly randomBytes: (size: number) => Buffer
}

const SECRET_BYTES = 32

/** The secrets that sign copies, one for each merchant that has listened. */
export function createListenSecrets({ endpoints, sealer, randomBytes }: ListenSecretsOptions) {
  const change = makeChangeEndpoint(endpoints)
  const idOf = (merchantId: string): EndpointId => endpointIdOf({ merchant_id: merchantId, channel: 'listen' })

  async function find(merchantId: string): Promise<string | undefined> {
    const [secret] = (await endpoints.find(idOf(merchantId)))?.endpoint.secrets ?? []
    return secret && sealer.open(secret.sealed, idOf(merchantId)).toString('utf8')
  }

  async function findOrAdd(merchantId: string): Promise<string> {
    const stored = await find(merchantId)
    if (stored !== undefined) return stored
    const [id, text] = [idOf(merchantId), formatSigningSecret(randomBytes(SECRET_BYTES))]
    const secrets = [{ sealed: sealer.seal(Buffer.from(text), id), until: null }]
    return (await endpoints.save({ id, registrations: [], secrets, health: [] }, undefined)) ? text : findOrAdd(merchantId)
  }

  return {
    find,

    /** The merchant's secret, made at the first call. */
    findOrAdd,

    /** The next session makes another one. False when there was none. */
    remove: (merchantId: string): Promise<boolean> =>
      change<boolean>(idOf(merchantId), undefined, (before) =>
        before ? { changed: true, endpoint: undefined, result: true } : { changed: false, result: false },
      ),
  }
}
