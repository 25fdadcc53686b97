import { Router } from 'express'
import {
  authTokenRequest,
  instantOf,
  newCredentialRequest,
  type CredentialsResponse,
  type NewCredentialResponse,
} from '@gateway/contracts'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import type { Credential } from '../domain/merchant.ts'
import type { IssueToken } from '../use-cases/merchant-tokens.ts'
import type { ManageCredentials, UsedCredential } from '../use-cases/manage-credentials.ts'

/** `POST /api/v1/auth/token`, for merchants without a JOSE library (design, section 5). */
export function tokenRoutes(issueToken: IssueToken): Router {
  return Router().post('/api/v1/auth/token', async (request, response) => {
    const issued = await issueToken(authTokenRequest.parse(request.body))
    response.setHeader('cache-control', 'no-store')
    response.json(issued)
  })
}

/** A merchant's own credentials (design, section 5). */
export function credentialRoutes(identify: Identify, credentials: ManageCredentials): Router {
  return Router()
    .get('/api/v1/credentials', async (request, response) => {
      const found = await credentials.list(await identify(request, 'credentials'))
      response.json({ data: { credentials: found.map(usedView) } } satisfies CredentialsResponse)
    })
    .post('/api/v1/credentials', async (request, response) => {
      const merchant = await identify(request, 'credentials')
      const { expires_at, ...wishes } = newCredentialRequest.parse(request.body)
      const made = await credentials.add(merchant, { ...wishes, expires_at: instantOf(expires_at) })
      const view = usedView({ ...made.credential, last_used_at: null })
      const answer: NewCredentialResponse = { data: { credential: { ...view, key_secret: made.keySecret } } }
      response.status(201).setHeader('cache-control', 'no-store').json(answer)
    })
    .delete('/api/v1/credentials/:keyId', async (request, response) => {
      await credentials.revoke(await identify(request, 'credentials'), request.params.keyId)
      response.status(204).end()
    })
}

function usedView({ last_used_at, ...credential }: UsedCredential) {
  return { ...credentialView(credential), last_used_at: last_used_at?.toISOString() ?? null }
}

/** A credential without its secret. */
export function credentialView({ key_id, scopes, label, made_by, created_at, expires_at, revoked_at }: Credential) {
  return {
    ...{ key_id, scopes, label, made_by, created_at: created_at.toISOString() },
    expires_at: expires_at?.toISOString() ?? null,
    revoked_at: revoked_at?.toISOString() ?? null,
  }
}
