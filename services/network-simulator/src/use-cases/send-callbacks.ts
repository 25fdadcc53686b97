import { Fault, isFinal, Unavailable, type NetworkReport, type RefundReport } from '@gateway/contracts'
import type { PaymentStatus } from '../clients/payment-status.ts'
import type { SendCallback } from '../clients/gateway-callback.ts'
import { claimDue, recordMissing, recordResults, type Claim, type SendResult } from '../domain/callback.ts'
import { reportOf, type Payment, type ScheduledCallback } from '../domain/payment.ts'
import { refundReportOf } from '../domain/refund.ts'
import { updatePayment, type Payments } from '../persistence/payments.ts'

export interface CallbackSender {
  /**
   * Stores new payments and sends their due callbacks. Returns false when another start of the same attempt was stored first.
   * Throws `Unavailable` (`network_busy`), and stores nothing, while too many callbacks are in flight.
   */
  insertAndSend(payments: readonly Payment[]): Promise<boolean>
  /** Sends the due callbacks of one batch of payments. Returns true when more may be due. */
  sendDue(): Promise<boolean>
  /** Sends these payments' due callbacks without waiting for the worker. At the in-flight limit the worker sends the rest. */
  sendSoon(payments: readonly Payment[]): void
  /** Waits until no callback is in flight. */
  drain(): Promise<void>
}

interface Dependencies extends Pick<PaymentStatus, 'findTransaction'> {
  readonly payments: Payments
  readonly sendCallback: SendCallback
  readonly now: () => Date
  readonly onGivenUp: (payment: Payment, callback: ScheduledCallback) => void
  readonly onError: (error: unknown) => void
}

const BATCH = 50
/** Of payments whose callbacks are being stored or sent. A result that waits to be saved keeps no payment from starting. */
const MAX_IN_FLIGHT = 100
const BUSY = 'The sandbox has too many payments to report; try again'

/** Claims, sends without holding anything, then records. If a sender dies, its claim expires and the callback is sent again. */
export function makeCallbackSender(dependencies: Dependencies): CallbackSender {
  const { payments, now, onError } = dependencies
  /** From the claim until the results are recorded. */
  const inFlight = new Set<Promise<void>>()
  /** Payments with due callbacks that are being stored, and those whose callbacks are being sent. */
  let [storing, sending] = [0, 0]

  const claimAndSend = async (payment: Payment): Promise<void> => {
    const claim = claimDue(payment, now())
    if (claim.callbacks.length === 0 || !(await payments.save(payment, claim.payment))) return
    await sendClaimed({ ...claim, payment: { ...claim.payment, version: payment.version + 1 } })
  }

  /** Sends callbacks whose claim is stored, and records the results. */
  const sendClaimed = async ({ payment, callbacks }: Claim): Promise<void> => {
    const byId = await sendAll({ payment, callbacks })
    const after = recordResults(payment, byId, now())
    const recorded = (await payments.saveLater(payment, after))
      ? { ...after, version: payment.version + 1 }
      : await updatePayment(payments, payment.reference, (current) => recordMissing(current, callbacks, byId, now()))
    if (!recorded) return
    reportGivenUp(payment, recorded, dependencies)
    sendSoon([recorded])
  }

  const sendAll = async ({ payment, callbacks }: Claim): Promise<Map<string, SendResult>> => {
    sending += 1
    try {
      const send = async (callback: ScheduledCallback) =>
        [callback.id, await sendOrWait(payment, callback, dependencies)] as const
      return new Map(await Promise.all(callbacks.map(send)))
    } finally {
      sending -= 1
    }
  }

  const track = (sent: Promise<void>): void => {
    const tracked = sent.catch(onError).finally(() => inFlight.delete(tracked))
    inFlight.add(tracked)
  }

  const sendSoon: CallbackSender['sendSoon'] = (waiting) => {
    for (const payment of waiting) {
      if (inFlight.size >= MAX_IN_FLIGHT) return
      track(claimAndSend(payment))
    }
  }

  return {
    async insertAndSend(made) {
      // Stored with their claim, which saves a write.
      const claims = made.map((payment) => claimDue(payment, now()))
      const due = claims.filter(({ callbacks }) => callbacks.length > 0)
      if (due.length > 0 && storing + sending + due.length > MAX_IN_FLIGHT) throw new Unavailable('network_busy', BUSY)
      storing += due.length
      try {
        if (!(await payments.insert(claims.map(({ payment }) => payment)))) return false
        for (const claim of due) track(sendClaimed(claim))
        return true
      } finally {
        storing -= due.length
      }
    },
    sendSoon,
    async sendDue() {
      const due = await payments.findDue(now(), BATCH)
      await Promise.all(due.map(claimAndSend))
      return due.length === BATCH
    },
    async drain() {
      while (inFlight.size > 0) await Promise.all(inFlight)
    },
  }
}

async function sendOrWait(
  payment: Payment,
  callback: ScheduledCallback,
  { sendCallback, findTransaction }: Dependencies,
): Promise<SendResult> {
  if (callback.waits_for_final) {
    // An unknown order has no final status to wait for. While payment-status is down, poll again.
    const transaction = await findTransaction(payment.tr).catch(() => 'unavailable' as const)
    if (transaction === 'unavailable') return 'order_not_final_yet'
    return transaction === undefined || isFinal(transaction.status) ? 'order_is_final' : 'order_not_final_yet'
  }
  const acknowledged = await sendCallback(`${payment.reference}.${callback.message_id}`, contentOf(payment, callback))
  return acknowledged ? 'acknowledged' : 'not_acknowledged'
}

function contentOf(payment: Payment, { outcome, refund: reported }: ScheduledCallback): NetworkReport | RefundReport {
  if (!reported) return reportOf(payment, outcome)
  const refund = payment.refunds.find(({ id }) => id === reported.id)
  if (!refund) throw new Fault(`payment ${payment.reference} has no refund ${reported.id}`)
  return refundReportOf(refund, reported.status)
}

function reportGivenUp(before: Payment, after: Payment, { onGivenUp }: Dependencies): void {
  const was = new Map(before.callbacks.map(({ id, state }) => [id, state]))
  for (const callback of after.callbacks) {
    if (callback.state === 'given_up' && was.get(callback.id) === 'scheduled') onGivenUp(after, callback)
  }
}
