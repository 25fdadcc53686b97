import { Router } from 'express'
import {
  newCredentialRequest,
  type CredentialView,
  type CredentialsResponse,
  type NewCredentialResponse,
} from '@gateway/contracts'
import { merchantOf, type RequireMerchant } from '@gateway/service-kit/merchant-auth'
import type { ManageCredentials, UsedCredential } from '../use-cases/manage-credentials.ts'

/** A merchant's own credentials (design, section 5). */
export function credentialRoutes(requireMerchant: RequireMerchant, credentials: ManageCredentials): Router {
  const caller = requireMerchant('credentials')
  return Router()
    .get('/api/v1/credentials', caller, async (_request, response) => {
      const found = await credentials.list(merchantOf(response))
      response.json({ data: { credentials: found.map(credentialView) } } satisfies CredentialsResponse)
    })
    .post('/api/v1/credentials', caller, async (request, response) => {
      const { scopes, label, expires_at: expiresAt } = newCredentialRequest.parse(request.body)
      const wishes = { scopes, label, expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt) }
      const { credential, keySecret } = await credentials.add(merchantOf(response), wishes)
      const view = credentialView({ ...credential, lastUsedAt: null })
      const answer: NewCredentialResponse = { data: { credential: { ...view, key_secret: keySecret } } }
      response.status(201).setHeader('cache-control', 'no-store').json(answer)
    })
    .delete('/api/v1/credentials/:keyId', caller, async (request, response) => {
      await credentials.revoke(merchantOf(response), String(request.params['keyId']))
      response.status(204).end()
    })
}

function credentialView({ createdAt, lastUsedAt, expiresAt, revokedAt, ...credential }: UsedCredential): CredentialView {
  const { keyId, scopes, label, madeBy } = credential
  return {
    key_id: keyId,
    scopes,
    label,
    made_by: madeBy,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
    expires_at: expiresAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
  }
}
