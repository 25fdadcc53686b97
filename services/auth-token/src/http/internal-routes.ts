import { Router } from 'express'
import { compile, instantOf } from '@gateway/contracts'
import type { ExchangeToken } from '../use-cases/exchange-token.ts'
import type { KeyRing } from '../use-cases/key-ring.ts'
import type { ListRevocations } from '../use-cases/list-revocations.ts'

const exchangeRequest = compile({
  type: 'object',
  additionalProperties: false,
  required: ['token'],
  properties: { token: { type: 'string', minLength: 1 } },
})

const revocationsQuery = compile({
  type: 'object',
  additionalProperties: false,
  properties: { since: { type: 'string', format: 'date-time' } },
})

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
      response.json(await exchangeToken(token))
    })
    .get('/internal/v1/revocations', async (request, response) => {
      const { since } = revocationsQuery.parse({ ...request.query })
      response.json(await listRevocations(instantOf(since)))
    })
    .get('/internal/v1/jwks.json', async (_request, response) => {
      response.json(await keyRing.jwks())
    })
}
