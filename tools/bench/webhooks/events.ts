import { eventId, firstTransactionIdAt, type TransactionStatusChanged } from '@gateway/contracts'

/** The merchant of an endpoint's number. */
export function merchantOf(endpoint: number): string {
  return `mer_bench_${String(endpoint).padStart(4, '0')}`
}

/** A transaction id begins with its time. The event's number stands where random characters would follow. */
const TIME_LENGTH = 10
const ID_LENGTH = 26

/** Status changes numbered from `first` on, spread evenly over the endpoints, as payment-status publishes them. */
export function makeEvents(first: number, count: number, endpoints: number): TransactionStatusChanged[] {
  return Array.from({ length: count }, (_, index) => makeEvent(first + index, endpoints))
}

export function makeEvent(number: number, endpoints: number): TransactionStatusChanged {
  const now = new Date()
  const transactionId = firstTransactionIdAt(now).slice(0, TIME_LENGTH) + String(number).padStart(ID_LENGTH - TIME_LENGTH, '0')
  const at = now.toISOString()
  const data = {
    transaction_id: transactionId,
    order_id: `ORD-${number}`,
    merchant_id: merchantOf(number % endpoints),
    order_created_at: at,
    sequence: 2,
    status: 'Success' as const,
    amount_paise: 49_900,
    currency: 'INR' as const,
    method: 'upi' as const,
    rrn: '123456789012',
    payer: { name: 'Asha Rao', vpa: 'asha@bank' },
    failure_reason: null,
    udf1: 'one',
    udf2: '',
    udf3: '',
  }
  const id = eventId(transactionId, data.sequence)
  return { id, type: 'transaction.status-changed', version: 1, occurred_at: at, correlation_id: `c-${id}`, data }
}

/** The endpoint that an event's webhook goes to, by its id. */
export function endpointOf(id: string, endpoints: number): number {
  return Number(id.slice(TIME_LENGTH, ID_LENGTH)) % endpoints
}
