import { sign, SIGNATURE_HEADERS, type SigningKey } from '@gateway/contracts'

export interface HeaderParts {
  /** The event's id, the same on every attempt. */
  readonly webhookId: string
  readonly attempt: number
  readonly sequence: number
  readonly body: string
  readonly keys: readonly SigningKey[]
  /** The time of this attempt. */
  readonly at: Date
  /** True for a test event that belongs to no order. */
  readonly test?: boolean
  /** True for a copy that a listening merchant gets. */
  readonly copy?: boolean
}

/** The headers of one attempt: Standard Webhooks plus our own (design, section 6). The bytes signed are the bytes sent. */
export function signedHeaders({ webhookId, attempt, sequence, body, keys, at, test, copy }: HeaderParts): Record<string, string> {
  const timestampSeconds = Math.floor(at.getTime() / 1000)
  return {
    'content-type': 'application/json',
    'user-agent': 'payment-gateway-webhooks/1',
    accept: '*/*',
    [SIGNATURE_HEADERS.id]: webhookId,
    [SIGNATURE_HEADERS.timestamp]: String(timestampSeconds),
    [SIGNATURE_HEADERS.signature]: sign(webhookId, timestampSeconds, body, keys),
    'webhook-attempt': String(attempt),
    'webhook-sequence': String(sequence),
    ...(test === true ? { 'webhook-test': 'true' } : {}),
    ...(copy === true ? { 'webhook-copy': 'listen' } : {}),
  }
}
