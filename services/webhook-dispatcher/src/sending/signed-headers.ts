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
  /** On what is no delivery: a test event that belongs to no order, or a copy for a listening merchant. */
  readonly mark?: { readonly 'webhook-test': 'true' } | { readonly 'webhook-copy': 'listen' }
}

/** The headers of one attempt: Standard Webhooks plus our own (design, section 6). The bytes signed are the bytes sent. */
export function signedHeaders({ webhookId, attempt, sequence, body, keys, at, mark }: HeaderParts): Record<string, string> {
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
    ...mark,
  }
}
