import {
  auditQuerySchema,
  auditResponseSchema,
  credentialsResponseSchema,
  newCredentialResponseSchema,
  newCredentialSchema,
} from '@gateway/contracts'
import { list, write } from './forwarding.ts'
import type { Operations } from './operation.ts'

const here = { to: 'authToken', tag: 'account' } as const
const look = { ...list, ...here, method: 'GET' } as const
const change = { ...write, ...here } as const

/** The operations on a merchant's credentials and its audit (design, section 5). */
export const accountOperations = {
  listCredentials: {
    ...look,
    path: '/api/v1/credentials',
    summary: 'List the credentials of this merchant; never their secrets',
    description:
      'Includes credentials that were revoked or expired in the last 30 days: the latest 50, and all of the last day. made_by is the id of the credential that made it, or operator. last_used_at is exact to a minute.',
    answers: { 200: credentialsResponseSchema },
  },
  createCredential: {
    ...change,
    repeatable: false,
    method: 'POST',
    path: '/api/v1/credentials',
    summary: 'Make a credential with some of the scopes of the calling one; its secret is shown once',
    description:
      'Give each program its own credential, with only the scopes it needs. A credential grants no scope that it lacks, and none that it makes lives longer than itself: without expires_at, the new one ends when its maker ends. At most ten are live at a time, and 50 are made in a day. A credential that another one made may have five live and make 25 in a day.',
    request: newCredentialSchema,
    example: { label: 'reports', scopes: ['read'] },
    answers: { 201: newCredentialResponseSchema },
    refusals: [409],
  },
  revokeCredential: {
    ...change,
    repeatable: true,
    method: 'DELETE',
    path: '/api/v1/credentials/{id}',
    summary: 'Revoke another credential of this merchant and all that it made; their tokens stop within a second',
    description:
      'Also revokes all credentials that it made, directly or through others. A credential cannot revoke itself or one that it descends from (409 credential_in_use), one that an operator made (403 credential_protected), or one with a scope that it lacks (403 scope_missing).',
    answers: { 204: null },
    refusals: [404, 409],
  },
  listAudit: {
    ...look,
    path: '/api/v1/audit',
    summary: 'List who did what with this account, newest first',
    description:
      'Lists changes of credentials, endpoint and secrets, resends, refunds, and failed authentications. asked is written before an action, done or refused after it; an action that is refused before any effect has refused only. The target of refund.create is refund_id=… amount=…. When a refusal repeats within a minute, a second entry counts the repetitions.',
    query: auditQuerySchema,
    answers: { 200: auditResponseSchema },
  },
} satisfies Operations
