import { Router } from 'express'
import { compile, instantOf, operatorCredentialRequest, optionalFields } from '@gateway/contracts'
import { operatorOf } from '@gateway/service-kit/http'
import { BY_OPERATOR, newMerchantRequest, type Merchant } from '../domain/merchant.ts'
import type { ChangeCredentials } from '../use-cases/change-credentials.ts'
import type { ManageMerchants } from '../use-cases/manage-merchants.ts'
import { credentialView } from './merchant-routes.ts'

const MAX_PAGE = 200

const listQuery = compile(
  optionalFields({
    limit: { type: 'string', pattern: '^([1-9]|[1-9][0-9]|1[0-9]{2}|200)$' },
    cursor: { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' },
  }),
)

/** Routes for operators: merchants and their credentials (design, section 5). */
export function operatorRoutes(merchants: ManageMerchants, credentials: ChangeCredentials): Router {
  return Router()
    .post('/operator/v1/merchants', async (request, response) => {
      const { scopes, ...details } = newMerchantRequest.parse(request.body)
      const { merchantId, credential, keySecret } = await merchants.create(operatorOf(response), details, { scopes })
      response.status(201).setHeader('cache-control', 'no-store')
      response.json({ merchant_id: merchantId, key_id: credential.key_id, key_secret: keySecret })
    })
    .get('/operator/v1/merchants', async (request, response) => {
      const { limit, cursor } = listQuery.parse({ ...request.query })
      const size = Number(limit ?? MAX_PAGE / 4)
      // One merchant more than requested shows whether there is a next page.
      const found = await merchants.list(operatorOf(response), size + 1, cursor)
      const page = found.slice(0, size)
      const nextCursor = found.length > size ? (page.at(-1)?._id ?? null) : null
      response.json({ data: { merchants: page.map(merchantView) }, next_cursor: nextCursor })
    })
    .post('/operator/v1/merchants/:merchantId/credentials', async (request, response) => {
      const { expires_at, ...wishes } = operatorCredentialRequest.parse(request.body ?? {})
      const { merchantId } = request.params
      const added = { ...wishes, expires_at: instantOf(expires_at) }
      const { credential, keySecret } = await credentials.add(operatorOf(response), merchantId, BY_OPERATOR, added)
      response.status(201).setHeader('cache-control', 'no-store')
      response.json({ key_id: credential.key_id, key_secret: keySecret })
    })
    .delete('/operator/v1/merchants/:merchantId/credentials/:keyId', async (request, response) => {
      await credentials.revoke(operatorOf(response), request.params.merchantId, request.params.keyId)
      response.status(204).end()
    })
}

function merchantView({ _id: merchant_id, name, vpa, mcc, created_at, credentials }: Merchant): object {
  return {
    ...{ merchant_id, name, vpa, mcc, created_at: created_at.toISOString() },
    credentials: credentials.map((credential) => ({ status: credential.status, ...credentialView(credential) })),
  }
}
