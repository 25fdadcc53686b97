import { hash } from 'node:crypto'
import {
  Fault,
  formatPaise,
  parseAmount,
  parseRefundId,
  Refused,
  type Capabilities,
  type CreateRefundRequest,
} from '@gateway/contracts'
import { createKeyedQueue, type Audited, type Begin } from '@gateway/service-kit'
import type { ConnectorCapabilities } from '@gateway/connector-client'
import {
  acceptedCapture,
  type Adopt,
  type ChangeTransaction,
  type Decision,
  type Refund,
  refundablePaise,
  refundsOf,
  type Transaction,
  type Transactions,
} from '../../payments/index.ts'
import {
  findRefund,
  type RefundRefusal,
  type RefundRules,
  type RequestedRefund,
  requestRefund,
} from '../domain/request-refund.ts'

/** A refund together with its transaction. */
export interface FoundRefund {
  readonly transaction: Transaction
  readonly refund: Refund
}

export interface Refunds {
  /**
   * Accepts a refund. A worker asks the network afterwards. A repeated request returns the first refund, with `isNew` false. Throws
   * `order_not_found`, also for another merchant's order, or a `RefundRefusal`. The audit tells which credential asked for it.
   */
  create(caller: RefundCaller, request: CreateRefundRequest): Promise<FoundRefund & { readonly isNew: boolean }>
  /** By the gateway's id, or by the merchant's own with its order. Throws `refund_not_found`, also for another merchant's. */
  find(merchantId: string, id: string, orderId?: string): Promise<FoundRefund>
}

export interface RefundCaller {
  readonly merchantId: string
  readonly credentialId: string
}

export function makeRefunds(dependencies: {
  adopt: Pick<Adopt, 'byOrder'>
  transactions: Pick<Transactions, 'find'>
  change: ChangeTransaction
  capabilities: Pick<ConnectorCapabilities, 'find'>
  audited: Audited
  now: () => Date
}): Refunds {
  const { adopt, transactions, change, capabilities, audited, now } = dependencies
  // Refunds of one transaction on this replica are stored one after another, so that their writes do not conflict.
  const inOrder = createKeyedQueue()

  async function accept(
    transactionId: string,
    requested: RequestedRefund,
    begin: Begin,
  ): Promise<FoundRefund & { isNew: boolean }> {
    const before = await transactions.find(transactionId)
    if (!before) throw orderNotFound()
    if (findRefund(before, requested.refund_id) || !acceptedCapture(before)) {
      // Decided on this read, without the connector. A capture that is stored meanwhile would need the connector's rules.
      const { transaction } = orRefuse(requestRefund(before, requested, null, now()), before, requested)
      return { ...foundIn(transaction, requested), isNew: false }
    }
    const rules = rulesOf(await capabilities.find())
    // Refuse before the audit's first entry when the refusal is already certain.
    orRefuse(requestRefund(before, requested, rules, now()), before, requested)
    await begin()
    const { transaction, changed } = await change(before, (current) =>
      orRefuse(requestRefund(current, requested, rules, now()), current, requested),
    )
    return { ...foundIn(transaction, requested), isNew: changed }
  }

  return {
    async create({ merchantId, credentialId }, request) {
      const requested = toRequestedRefund(request, credentialId)
      const target = `refund_id=${request.refund_id} amount=${formatPaise(requested.amount_paise)}`
      return audited({ who: 'merchant', action: 'refund.create', merchantId, target }, async (begin) => {
        const found = await adopt.byOrder(merchantId, request.order_id)
        if (!found) throw orderNotFound()
        return inOrder(found.id, () => accept(found.id, requested, begin))
      })
    },

    async find(merchantId, id, orderId) {
      const found = orderId === undefined ? await findById(id) : await findOfOrder(merchantId, orderId, id)
      if (found?.transaction.order.merchant.id === merchantId) return found
      const hint =
        orderId === undefined
          ? 'this id; with your own refund_id, name its order_id in the query'
          : 'this refund_id at this order'
      throw new Refused('refund_not_found', `There is no refund with ${hint}`)
    },
  }

  async function findById(id: string): Promise<FoundRefund | undefined> {
    const parts = parseRefundId(id)
    const transaction = parts && (await transactions.find(parts.transactionId))
    const refund = transaction && refundsOf(transaction).find(({ n }) => n === parts.n)
    return refund && { transaction, refund }
  }

  async function findOfOrder(merchantId: string, orderId: string, refundId: string): Promise<FoundRefund | undefined> {
    const transaction = await adopt.byOrder(merchantId, orderId)
    const refund = transaction && findRefund(transaction, refundId)
    return refund && { transaction, refund }
  }
}

function foundIn(transaction: Transaction, { refund_id }: RequestedRefund): FoundRefund {
  const refund = findRefund(transaction, refund_id)
  if (!refund) throw new Fault(`refund ${refund_id} is not in its transaction`)
  return { transaction, refund }
}

function toRequestedRefund(
  { refund_id, amount, reason = 'other', note = '' }: CreateRefundRequest,
  requested_by: string,
): RequestedRefund {
  const amount_paise = parseAmount(amount) ?? 0
  // `"200"` equals `"200.00"`, and what was left out equals its default.
  const fingerprint = hash('sha256', JSON.stringify([amount_paise, reason, note]), 'base64url')
  return { refund_id, fingerprint, amount_paise, reason, note, requested_by }
}

function rulesOf({ refunds }: Capabilities): RefundRules {
  return refunds ? { windowDays: refunds.window_days, partial: refunds.partial } : null
}

function orRefuse(decision: Decision | RefundRefusal, transaction: Transaction, requested: RequestedRefund): Decision {
  if (typeof decision !== 'string') return decision
  throw new Refused(decision, DETAILS[decision](transaction, requested))
}

const DETAILS: Readonly<Record<RefundRefusal, (transaction: Transaction, requested: RequestedRefund) => string>> = {
  refund_id_conflict: ({ order }, { refund_id }) =>
    `The order ${order.order_id} has another refund with the refund_id ${refund_id}`,
  order_not_refundable: () => 'The order has no accepted payment',
  refunds_not_supported: () =>
    'The payment network does not support this refund: it supports none, or only refunds of the whole amount',
  refund_window_closed: () => 'The payment is too old to be refunded',
  too_many_refunds: () => 'The order has reached its limit of refunds',
  refund_exceeds_captured: (transaction) => `Only ${formatPaise(refundablePaise(transaction))} can still be refunded`,
}

function orderNotFound(): Refused {
  return new Refused('order_not_found', 'There is no order with this order_id')
}
