import { Router } from 'express'
import { intentRequest, NETWORK_INTENTS_PATH } from '@gateway/contracts'
import { requireBearer } from '@gateway/service-kit/http'
import type { MintIntent } from '../use-cases/mint-intent.ts'
import { requireKey } from './network-routes.ts'

export function intentRoute(mintIntent: MintIntent, apiKey: string): Router {
  return Router().post(NETWORK_INTENTS_PATH, requireBearer(apiKey), async (request, response) => {
    const body = intentRequest.parse(request.body)
    requireKey(request, body.tr)
    response.json(await mintIntent(body))
  })
}
