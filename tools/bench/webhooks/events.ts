import { eventId, firstTransactionIdAt, slotDigits, slotOfOrder, type TransactionStatusChanged } from '@gateway/contracts'

/** The merchant of an endpoint's number. */
export function merchantOf(endpoint: number): string {
  return `mer_bench_${String(endpoint).padStart(4, '0')}`
}

/** A transaction id begins with its time and ends with its slot. The event's number stands for the random characters between them. */
const TIME_LENGTH = 10
const ULID_LENGTH = 26

/** Status changes numbered from `first` on, spread evenly over the endpoints, as payment-status publishes them. */
export function makeEvents(first: number, count: number, endpoints: number): TransactionStatusChanged[] {
  return Array.from({ length: count }, (_, index) => makeEvent(first + index, endpoints))
}

export function makeEvent(number: number, endpoints: number): TransactionStatusChanged {
  const now = new Date()
  const [merchant_id, order_id, at] = [merchantOf(number % endpoints), `ORD-${number}`, now.toISOString()]
  const ulid = firstTransactionIdAt(now).slice(0, TIME_LENGTH) + String(number).padStart(ULID_LENGTH - TIME_LENGTH, '0')
  const transactionId = ulid + slotDigits(slotOfOrder(merchant_id, order_id))
  const data = {
    transaction_id: transactionId,
    order_id,
    merchant_id,
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
  return Number(id.slice(TIME_LENGTH, ULID_LENGTH)) % endpoints
}
