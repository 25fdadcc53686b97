import { Router } from 'express'
import { compile, operatorCredentialRequest } from '@gateway/contracts'
import { operatorOf } from '@gateway/service-kit/http'
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
      const { scopes, ...details } = newMerchantRequest.parse(request.body)
      const { merchantId, credential, keySecret } = await merchants.create(operatorOf(response), details, { scopes })
      response.status(201).setHeader('cache-control', 'no-store')
      response.json({ merchant_id: merchantId, key_id: credential.keyId, key_secret: keySecret })
    })
    .get('/operator/v1/merchants', async (request, response) => {
      const { limit, cursor } = listQuery.parse({ ...request.query })
      const size = Number(limit ?? MAX_PAGE / 4)
      // One merchant more than requested shows whether there is a next page.
      const found = await merchants.list(operatorOf(response), size + 1, cursor)
      const page = found.slice(0, size)
      const nextCursor = found.length > size ? (page.at(-1)?.merchantId ?? null) : null
      response.json({ data: { merchants: page.map(toView) }, next_cursor: nextCursor })
    })
    .post('/operator/v1/merchants/:merchantId/credentials', async (request, response) => {
      const { scopes, label, expires_at: expiresAt } = operatorCredentialRequest.parse(request.body ?? {})
      const wishes = { scopes, label, expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt) }
      const { merchantId } = request.params
      const { credential, keySecret } = await merchants.addCredential(operatorOf(response), merchantId, wishes)
      response.status(201).setHeader('cache-control', 'no-store')
      response.json({ key_id: credential.keyId, key_secret: keySecret })
    })
    .delete('/operator/v1/merchants/:merchantId/credentials/:keyId', async (request, response) => {
      await merchants.revokeCredential(operatorOf(response), request.params.merchantId, request.params.keyId)
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
      scopes: credential.scopes,
      label: credential.label,
      made_by: credential.madeBy,
      created_at: credential.createdAt.toISOString(),
      expires_at: credential.expiresAt?.toISOString() ?? null,
      revoked_at: credential.revokedAt?.toISOString() ?? null,
    })),
  }
}
