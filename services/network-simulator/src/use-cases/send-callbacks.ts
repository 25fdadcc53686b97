import type { FindTransaction } from '../clients/payment-status.ts'
import type { SendCallback } from '../clients/gateway-callback.ts'
import { claimDue, recordResults, type Claim, type ScheduledCallback, type SendResult } from '../domain/callback.ts'
import { reportOf, type Payment } from '../domain/payment.ts'
import type { Payments } from '../persistence/payments.ts'
import { updatePayment } from './update-payment.ts'

export interface CallbackSender {
  /** Stores new payments and sends what is due of them at once. False when another start of the same attempt was faster. */
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
    const record = (current: Payment): Payment => recordResults(current, new Map(results), now())
    const recorded = await updatePayment(payments, payment.reference, record, payment)
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
      // Claimed as they are stored, which saves a write; but not what there is no room to send.
      const hasRoom = sending.size + promised + made.length <= MAX_SENDING
      if (!hasRoom) return payments.insert(made)
      promised += made.length
      try {
        const claims = made.map((payment) => claimDue(payment, now()))
        if (!(await payments.insert(claims.map(({ payment }) => payment)))) return false
        for (const claim of claims) if (claim.callbacks.length > 0) track(sendClaimed(claim))
        return true
      } finally {
        promised -= made.length
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
