import type { Attempt, Order, Refund, Reversal } from '@gateway/sdk'
import { coloured, printable } from '../io.ts'

type Fact = [name: string, value: string | false | null | undefined]

interface Described extends Pick<Order, 'transaction' | 'checkout'> {
  readonly order: Pick<Order['order'], 'order_id'>
}

/** An order for people: with every payment that was tried, and all money that went back. */
export function describeOrder({ order, transaction, checkout }: Described): string {
  const { status, amount, currency, id, method, rrn, failure_reason, failure_code } = transaction
  const { attempts, reversals, refunds, amount_refunded, amount_refundable } = transaction
  const facts: Fact[] = [
    ['order', order.order_id],
    ['status', coloured(status)],
    ['amount', `${amount} ${currency}`],
    ['transaction', id],
    ['method', method],
    ['rrn', rrn],
    ['reason', inWords([failure_reason, failure_code])],
    ...attempts.map((attempt): Fact => ['attempt', wordsOfAttempt(attempt)]),
    ...reversals.map((reversal): Fact => ['given back', wordsOfReversal(reversal, currency)]),
    ...refunds.map((refund): Fact => ['refund', wordsOfRefund(refund)]),
    ['refunded', refunds.length > 0 && `${amount_refunded} ${currency}, ${amount_refundable} ${currency} can still be refunded`],
    ['page', checkout?.url],
  ]
  return facts
    .flatMap(([name, value]) => (value ? [`${name.padEnd(13)}${name === 'status' ? value : printable(value)}`] : []))
    .join('\n')
}

function wordsOfAttempt({ method, status, failure_reason, failure_code, rrn, started_at, ended_at }: Attempt): string {
  return inWords([method, status, failure_reason, failure_code, rrnOf(rrn), ended_at ?? started_at])
}

/** Captured money that goes back to the shopper. The bank finds it by its rrn and reference. */
function wordsOfReversal(reversal: Reversal, currency: string): string {
  const { amount, reason, status, rrn, reference, requested_at, completed_at } = reversal
  return inWords([`${amount} ${currency}`, reason, status, rrnOf(rrn), `reference ${reference}`, completed_at ?? requested_at])
}

function wordsOfRefund({ refund_id, amount, currency, status, failure_code, rrn, created_at, completed_at }: Refund): string {
  return inWords([refund_id, `${amount} ${currency}`, status, failure_code, rrnOf(rrn), completed_at ?? created_at])
}

function rrnOf(rrn: string | null | undefined): string | null {
  return rrn ? `rrn ${rrn}` : null
}

function inWords(words: readonly (string | null | undefined)[]): string {
  return words.filter((word) => word !== null && word !== undefined).join(', ')
}
