import { Unavailable } from '@gateway/contracts'
import type { FindTransaction } from '../clients/payment-status.ts'
import type { SendCallback } from '../clients/gateway-callback.ts'
import {
  claimDue,
  recordMissing,
  recordResults,
  type Claim,
  type ScheduledCallback,
  type SendResult,
} from '../domain/callback.ts'
import { reportOf, type Payment } from '../domain/payment.ts'
import type { Payments } from '../persistence/payments.ts'
import { updatePayment } from './update-payment.ts'

export interface CallbackSender {
  /**
   * Stores new payments and sends what is due of them at once. False when another start of the same attempt was faster. Throws
   * `Unavailable`, and stores nothing, while too many callbacks are on their way: what it took would be reported ever later.
   */
  insertAndSend(payments: readonly Payment[]): Promise<boolean>
  /** Sends what is due of up to a batch of payments; true when there may be more. */
  sendDue(): Promise<boolean>
  /** Sends what is due of these payments soon, without waiting for the next round; the worker finds what is left out. */
  sendSoon(payments: readonly Payment[]): void
  /** Waits for what is being sent. */
  drain(): Promise<void>
}

interface Dependencies {
  readonly payments: Payments
  readonly sendCallback: SendCallback
  readonly findTransaction: FindTransaction
  readonly now: () => Date
  readonly onGivenUp: (payment: Payment, callback: ScheduledCallback) => void
  readonly onError: (error: unknown) => void
}

const BATCH = 50
const MAX_SENDING = 100
const BUSY = 'The sandbox has too many payments to report; try again'

/** Claim, send with nothing held, record: a sender that dies leaves a claim that runs out, and the callback goes again. */
export function makeCallbackSender(dependencies: Dependencies): CallbackSender {
  const { payments, now, onError } = dependencies
  const sending = new Set<Promise<void>>()
  /** Payments that are being stored with a claim. */
  let promised = 0

  const claimAndSend = async (payment: Payment): Promise<void> => {
    const claim = claimDue(payment, now())
    if (claim.callbacks.length === 0 || !(await payments.save(payment, claim.payment))) return
    await sendClaimed({ ...claim, payment: { ...claim.payment, version: payment.version + 1 } })
  }

  /** The claim is stored. */
  const sendClaimed = async ({ payment, callbacks }: Claim): Promise<void> => {
    const results = await Promise.all(
      callbacks.map(async (callback) => [callback.id, await sendOrWait(payment, callback, dependencies)] as const),
    )
    const byId = new Map(results)
    const after = recordResults(payment, byId, now())
    const recorded = (await payments.saveLater(payment, after))
      ? { ...after, version: payment.version + 1 }
      : await updatePayment(payments, payment.reference, (current) => recordMissing(current, callbacks, byId, now()))
    if (!recorded) return
    reportGivenUp(payment, recorded, dependencies)
    sendSoon([recorded])
  }

  const track = (sent: Promise<void>): void => {
    const tracked = sent.catch(onError).finally(() => sending.delete(tracked))
    sending.add(tracked)
  }

  const sendSoon: CallbackSender['sendSoon'] = (waiting) => {
    for (const payment of waiting) {
      if (sending.size >= MAX_SENDING) return
      track(claimAndSend(payment))
    }
  }

  return {
    async insertAndSend(made) {
      // Claimed as they are stored, which saves a write.
      const claims = made.map((payment) => claimDue(payment, now()))
      const due = claims.filter(({ callbacks }) => callbacks.length > 0)
      if (due.length > 0 && sending.size + promised + due.length > MAX_SENDING) throw new Unavailable('network_busy', BUSY)
      promised += due.length
      try {
        if (!(await payments.insert(claims.map(({ payment }) => payment)))) return false
        for (const claim of due) track(sendClaimed(claim))
        return true
      } finally {
        promised -= due.length
      }
    },
    sendSoon,
    async sendDue() {
      const due = await payments.findDue(now(), BATCH)
      await Promise.all(due.map(claimAndSend))
      return due.length === BATCH
    },
    async drain() {
      while (sending.size > 0) await Promise.all(sending)
    },
  }
}

async function sendOrWait(
  payment: Payment,
  callback: ScheduledCallback,
  { sendCallback, findTransaction }: Dependencies,
): Promise<SendResult> {
  if (callback.waitsForFinal) {
    // Unknown: there is no order to wait for. Away: look again.
    const transaction = await findTransaction(payment.tr).catch(() => ({ final: false }))
    return transaction === undefined || transaction.final ? 'order_is_final' : 'order_not_final_yet'
  }
  const acknowledged = await sendCallback(`${payment.reference}.${callback.messageId}`, reportOf(payment, callback.outcome))
  return acknowledged ? 'acknowledged' : 'not_acknowledged'
}

function reportGivenUp(before: Payment, after: Payment, { onGivenUp }: Dependencies): void {
  const was = new Map(before.callbacks.map(({ id, state }) => [id, state]))
  for (const callback of after.callbacks) {
    if (callback.state === 'given_up' && was.get(callback.id) === 'scheduled') onGivenUp(after, callback)
  }
}
