import type { IncomingMessage } from 'node:http'
import { Refused } from '@gateway/contracts'
import { addressKey, type ClientAddress, networkMatcher } from '@gateway/service-kit/limits'
import type { Attempt, StrangerGate } from '../use-cases/admit-strangers.ts'

interface Dependencies {
  /** The networks that callbacks come from; empty for any. */
  readonly allowedNetworks: readonly string[]
  readonly strangers: StrangerGate
  readonly clientAddress: ClientAddress
}

const FREE: Attempt = { end: () => undefined }

export type CallbackGate = ReturnType<typeof createCallbackGate>

/**
 * Decides which addresses may send callbacks; the service that gets them checks the signature. Without a list of networks, an address
 * pays for each callback in advance until one was signed.
 */
export function createCallbackGate({ allowedNetworks, strangers, clientAddress }: Dependencies) {
  const isAllowed = networkMatcher(allowedNetworks)
  return {
    /** Call `end` of the answer. Throws `forbidden` or `rate_limited`. */
    begin(request: IncomingMessage): Attempt {
      const address = clientAddress(request)
      if (allowedNetworks.length === 0) return strangers.begin(addressKey(address), 'callback')
      if (!isAllowed(address)) throw new Refused('forbidden', 'Callbacks are not accepted from this address')
      return FREE
    },
  }
}
