import { Router } from 'express'
import { compile, exactFields, instantOf, MERCHANT_SERVICES, optionalFields } from '@gateway/contracts'
import type { ExchangeToken } from '../use-cases/merchant-tokens.ts'
import type { KeyRing } from '../use-cases/key-ring.ts'
import type { ListRevocations } from '../use-cases/list-revocations.ts'

const exchangeRequest = compile(exactFields({ token: { type: 'string', minLength: 1 } }))

const exchangeQuery = compile(exactFields({ audience: { type: 'string', pattern: '^[a-z-]{1,40}(?:,[a-z-]{1,40}){0,9}$' } }))

const revocationsQuery = compile(optionalFields({ since: { type: 'string', format: 'date-time' } }))

interface InternalUseCases {
  readonly exchangeToken: ExchangeToken
  readonly listRevocations: ListRevocations
  readonly keyRing: KeyRing
}

/** The routes that other services call. The shapes of the answers are in contracts' `internal.ts`. */
export function internalRoutes({ exchangeToken, listRevocations, keyRing }: InternalUseCases): Router {
  return Router()
    .post('/internal/v1/tokens/exchange', async (request, response) => {
      const { token } = exchangeRequest.parse(request.body)
      const { audience } = exchangeQuery.parse({ ...request.query })
      const named = audience.split(',')
      response.json(
        await exchangeToken(
          token,
          MERCHANT_SERVICES.filter((service) => named.includes(service)),
        ),
      )
    })
    .get('/internal/v1/revocations', async (request, response) => {
      const { since } = revocationsQuery.parse({ ...request.query })
      response.json(await listRevocations(instantOf(since)))
    })
    .get('/internal/v1/jwks.json', async (_request, response) => {
      response.json(await keyRing.jwks())
    })
}
