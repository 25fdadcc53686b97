import { Router } from 'express'
import { addressKey, type ClientAddress, type RateLimiter } from '@gateway/service-kit/limits'

/** Limits each address in what anybody may call: the pages of banks, the UPI app, and the routes for testers. */
export function limitPages({ limit, clientAddress }: { limit: RateLimiter; clientAddress: ClientAddress }): Router {
  return Router().use(['/bank', '/sandbox'], (request, _response, next) => {
    limit(addressKey(clientAddress(request)))
    next()
  })
}
