import type { AppendAudit } from '../audit/audited.ts'
import { createServiceClient } from './service-client.ts'

const TIMEOUT_MS = 3000
const MAX_ANSWER_BYTES = 64 * 1024

/** Appends to the audit that auth-token keeps. Throws `Unavailable` when the entry is not stored: then nothing may be done. */
export function remoteAudit({ url, token }: { url: string; token: string }): AppendAudit {
  const client = createServiceClient({
    baseUrl: url,
    bearer: token,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    unavailable: { code: 'audit_unavailable', detail: 'The audit cannot be written now, so nothing was changed; try again' },
  })
  return async (entry) => {
    const { status } = await client.post('/internal/v1/audit', entry)
    if (status !== 204) throw client.unavailable(`status ${status}`)
  }
}

/** For a deployment without `AUTH_TOKEN_URL`: only the service's log shows what was done. */
export const noAudit: AppendAudit = () => Promise.resolve()
