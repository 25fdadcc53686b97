import { Router } from 'express'
import { compile } from '@gateway/contracts'
import { newMerchantRequest, type Merchant } from '../domain/merchant.ts'
import type { ManageMerchants } from '../use-cases/manage-merchants.ts'

const MAX_PAGE = 200

const listQuery = compile({
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'string', pattern: '^([1-9]|[1-9][0-9]|1[0-9]{2}|200)$' },
    cursor: { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' },
  },
})

/** Routes for operators: merchants and their credentials (design, section 5). */
export function operatorRoutes(merchants: ManageMerchants): Router {
  return Router()
    .post('/operator/v1/merchants', async (request, response) => {
      const created = await merchants.create(newMerchantRequest.parse(request.body))
      response.status(201).setHeader('cache-control', 'no-store')
      response.json({ merchant_id: created.merchantId, key_id: created.keyId, key_secret: created.keySecret })
    })
    .get('/operator/v1/merchants', async (request, response) => {
      const { limit, cursor } = listQuery.parse({ ...request.query })
      const size = Number(limit ?? MAX_PAGE / 4)
      // One merchant more than requested shows whether there is a next page.
      const found = await merchants.list(size + 1, cursor)
      const page = found.slice(0, size)
      const nextCursor = found.length > size ? (page.at(-1)?.merchantId ?? null) : null
      response.json({ data: { merchants: page.map(toView) }, next_cursor: nextCursor })
    })
    .post('/operator/v1/merchants/:merchantId/credentials', async (request, response) => {
      const { keyId, keySecret } = await merchants.addCredential(request.params.merchantId)
      response.status(201).setHeader('cache-control', 'no-store')
      response.json({ key_id: keyId, key_secret: keySecret })
    })
    .delete('/operator/v1/merchants/:merchantId/credentials/:keyId', async (request, response) => {
      await merchants.revokeCredential(request.params.merchantId, request.params.keyId)
      response.status(204).end()
    })
}

function toView(merchant: Merchant): object {
  const { merchantId, name, vpa, mcc, createdAt, credentials } = merchant
  return {
    merchant_id: merchantId,
    name,
    vpa,
    mcc,
    created_at: createdAt.toISOString(),
    credentials: credentials.map((credential) => ({
      key_id: credential.keyId,
      status: credential.status,
      created_at: credential.createdAt.toISOString(),
      revoked_at: credential.revokedAt?.toISOString() ?? null,
    })),
  }
}
