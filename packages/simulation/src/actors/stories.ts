import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkReport } from '@gateway/contracts'
import type { Random } from '../kernel/random.ts'
import type { Merchants } from './merchants.ts'
import type { PaymentNetwork } from './network.ts'

/** What becomes of a payment at the network, and what the network tells of it. */
const ALL = [
  ...(['success', 'success', 'success', 'success', 'success', 'success', 'failure', 'failure', 'slow', 'slow'] as const),
  ...(['duplicate', 'reordered', 'contradiction', 'twice', 'mismatch', 'late', 'silent', 'silent', 'none'] as const),
]
export const STORIES: readonly (typeof ALL)[number][] = ALL
export type Story = (typeof ALL)[number]

export interface Paying {
  readonly bank: PaymentNetwork
  readonly merchants: Merchants
  readonly random: Random
  /** The order's key. */
  readonly order: string
  readonly pay: Pick<NetworkReport, 'tr' | 'attempt_id' | 'amount' | 'method'>
  readonly expiresAtMs: number
}

/** Enough for the answer of an enquiry that was asked before the payment and is still under way. */
const CLOSE_TO_THE_END_MS = 6000

/** Plays a payment; resolves when the network has told everything that it will tell. */
export async function payAs(story: Story, paying: Paying): Promise<void> {
  const { bank, merchants, random, order, pay, expiresAtMs } = paying
  const report = (outcome: NetworkReport['outcome'], changes: Partial<NetworkReport> = {}): NetworkReport => ({
    ...pay,
    reference: `R-${pay.tr}`,
    outcome,
    ...changes,
  })
  const success = report('success')
  const capture = (): void => {
    bank.record(success)
    // Only money that the bank took in good time, and never denied, makes the order paid for certain.
    const isInTime = Date.now() < expiresAtMs - CLOSE_TO_THE_END_MS
    if (isInTime) merchants.note('shopper', { f: 'pay', order, vpa: `${story}@sandbox` }, performance.now())
  }
  const soon = () => sleep(random.next() * 800)

  switch (story) {
    case 'success':
      capture()
      await soon()
      return bank.report(success)
    case 'failure':
      bank.record(report('failed', { reason: 'declined' }))
      await soon()
      return bank.report(report('failed', { reason: 'declined' }))
    case 'slow': {
      bank.record(report('pending'))
      await bank.report(report('pending'))
      await sleep(1000 + random.next() * 9000)
      const end = random.whole(2) === 0 ? success : report('failed', { reason: 'declined' })
      bank.record(end)
      return bank.report(end)
    }
    case 'duplicate':
      capture()
      await Promise.all([bank.report(success), bank.report(success), soon().then(() => bank.report(success))])
      return
    case 'reordered':
      capture()
      await bank.report(success)
      return bank.report(report('pending'))
    case 'contradiction':
      bank.record(report('failed', { reason: 'declined' }))
      await Promise.all([bank.report(report('failed', { reason: 'declined' })), soon().then(() => bank.record(success))])
      return bank.report(success)
    case 'twice': {
      capture()
      const second = report('success', { reference: `S-${pay.tr}` })
      await bank.report(success)
      bank.record(second)
      return bank.report(second)
    }
    case 'mismatch': {
      const wrong = report('success', { amount: '1.00' })
      bank.record(wrong)
      await soon()
      return bank.report(wrong)
    }
    case 'late': {
      await sleep(expiresAtMs - Date.now() + 4000 + random.next() * 6000)
      bank.record(success)
      // Without a callback only an enquiry after the end finds the money.
      return random.whole(2) === 0 ? bank.report(success) : undefined
    }
    case 'silent': {
      // Often after the last enquiry before the end, so that the one at the end decides alone.
      await sleep(random.next() * Math.max(0, expiresAtMs - CLOSE_TO_THE_END_MS - Date.now()))
      capture()
      return
    }
    case 'none':
  }
}
