import type { RefundTransition } from '@gateway/contracts'
import { compare, type AuditRules, type Comparison } from '../domain/audit.ts'
import { endpointIdOf } from '../domain/channel.ts'
import { registrationAt } from '../domain/endpoint.ts'
import type { ListRefundDeliveriesOf, TransactionRange } from '../persistence/delivery-ranges.ts'
import type { Endpoints } from '../persistence/endpoints.ts'

/** Compares the status changes of refunds with the webhooks that are owed for them: merchants opt in to these. */
export type CompareRefunds = (
  transitions: readonly RefundTransition[],
  range: TransactionRange,
  ofMerchant: (merchantId: string) => boolean,
  rules: AuditRules,
) => Promise<Comparison>

export function makeCompareRefunds(dependencies: {
  endpoints: Pick<Endpoints, 'findMany'>
  listRefundDeliveriesOf: ListRefundDeliveriesOf
}): CompareRefunds {
  const { endpoints, listRefundDeliveriesOf } = dependencies
  return async (transitions, range, ofMerchant, rules) => {
    const mine = transitions.filter(({ merchant_id }) => ofMerchant(merchant_id))
    const ids = new Set(mine.map(({ merchant_id: merchantId }) => endpointIdOf({ merchantId, channel: 'refund' })))
    const known = new Map((ids.size > 0 ? await endpoints.findMany([...ids]) : []).map((found) => [found.id, found]))
    const isOwed = ({ merchant_id: merchantId, created_at }: RefundTransition): boolean =>
      registrationAt(known.get(endpointIdOf({ merchantId, channel: 'refund' })), new Date(created_at)) !== undefined
    const records = (await listRefundDeliveriesOf(range)).filter(({ merchantId }) => ofMerchant(merchantId))
    const recorded = new Set(records.map(({ id }) => id))
    const owed = mine.filter((one) => isOwed(one) || recorded.has(`${one.refund_id}.${one.sequence}`))
    return compare(
      owed.map(({ refund_id, ...transition }) => ({ ...transition, transaction_id: refund_id })),
      records,
      rules,
    )
  }
}
