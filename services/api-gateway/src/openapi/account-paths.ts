import {
  auditQuerySchema,
  AUDIT_OUTCOMES,
  newCredentialSchema,
  SCOPES,
  type AuditEntryView,
  type AuditResponse,
  type CredentialsResponse,
  type CredentialView,
  type NewCredentialResponse,
} from '@gateway/contracts'
import { operation, parameter } from './operation.ts'
import { integer, listOf, objectOf, text, textOrNull, time, timeOrNull } from './schema-helpers.ts'

const tag = 'account'

const credential = {
  key_id: text,
  scopes: listOf({ enum: SCOPES }),
  label: textOrNull,
  made_by: text,
  created_at: time,
  last_used_at: timeOrNull,
  expires_at: timeOrNull,
  revoked_at: timeOrNull,
}
const credentialsSchema = objectOf<CredentialsResponse>({
  data: objectOf<CredentialsResponse['data']>({ credentials: listOf(objectOf<CredentialView>(credential)) }),
})
const newCredentialResponseSchema = objectOf<NewCredentialResponse>({
  data: objectOf<NewCredentialResponse['data']>({
    credential: objectOf<NewCredentialResponse['data']['credential']>({ ...credential, key_secret: text }),
  }),
})
const auditSchema = objectOf<AuditResponse>({
  data: objectOf<AuditResponse['data']>({
    entries: listOf(
      objectOf<AuditEntryView>({
        at: time,
        actor: text,
        credential_id: textOrNull,
        address_prefix: textOrNull,
        action: text,
        target: textOrNull,
        outcome: { enum: AUDIT_OUTCOMES },
        count: integer,
      }),
    ),
  }),
  next_cursor: textOrNull,
})

/** The operations on a merchant's credentials and its audit (design, section 5). */
export const accountPaths = {
  '/api/v1/credentials': {
    get: operation({
      id: 'listCredentials',
      summary: 'List the credentials of this merchant; never their secrets',
      tag,
      responses: { 200: credentialsSchema },
    }),
    post: operation({
      id: 'createCredential',
      summary: 'Make a credential with some of the scopes of the calling one; its secret is shown once',
      tag,
      request: newCredentialSchema,
      responses: { 201: newCredentialResponseSchema },
      refusals: [409],
    }),
  },
  '/api/v1/credentials/{id}': {
    delete: operation({
      id: 'revokeCredential',
      summary: 'Revoke another credential of this merchant and all that it made; their tokens stop within a second',
      tag,
      parameters: [parameter('path', 'id', text)],
      responses: { 204: null },
      refusals: [404, 409],
    }),
  },
  '/api/v1/audit': {
    get: operation({
      id: 'listAudit',
      summary: 'List who did what with this account, newest first',
      tag,
      parameters: Object.entries(auditQuerySchema.properties).map(([name, schema]) => parameter('query', name, schema)),
      responses: { 200: auditSchema },
      refusals: [422],
    }),
  },
}
