import { LRUCache } from 'lru-cache'
import { readSigningSecret, type SigningKey } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { liveSecrets, type Endpoint } from '../domain/endpoint.ts'
import type { EndpointId } from '../domain/endpoint-id.ts'

/**
 * The keys that sign now: the current one first, then those whose rotation overlap has not ended. Empty when the current secret
 * cannot be opened; `npm run master-keys -- status` says why. An earlier secret that cannot be opened is left out.
 */
export type SigningKeysOf = (endpoint: Endpoint, now: Date) => SigningKey[]

/** Opens each sealed secret once and keeps the key, so that a new read of the endpoint costs no decryption. */
export function makeSigningKeysOf(sealer: Sealer, maxCached: number): SigningKeysOf {
  const opened = new LRUCache<string, { readonly endpointId: EndpointId; readonly key: SigningKey }>({ max: maxCached })

  function openIfPossible(sealed: string, endpointId: EndpointId): SigningKey | undefined {
    const known = opened.get(sealed)
    // A sealed secret opens only for its own endpoint.
    if (known?.endpointId === endpointId) return known.key
    try {
      const key = readSigningSecret(sealer.open(sealed, endpointId).toString('utf8'))
      opened.set(sealed, { endpointId, key })
      return key
    } catch {
      return undefined
    }
  }

  return (endpoint, now) => {
    const keys: SigningKey[] = []
    for (const { sealed, until } of liveSecrets(endpoint, now)) {
      const key = openIfPossible(sealed, endpoint.id)
      if (key) keys.push(key)
      else if (until === null) return []
    }
    return keys
  }
}
