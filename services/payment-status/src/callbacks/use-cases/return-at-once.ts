import { reversalKey } from '@gateway/contracts'
import type { Log, Metrics } from '@gateway/service-kit'
import { boundedCache } from '@gateway/service-kit/limits'
import type { ExcessCapture, ReversalAnswer } from '../../payments/index.ts'
import { maskedId } from '../domain/acquirer-text.ts'

/**
 * Reverses captures that their transaction has no room to store. Resolves to true when the network has reversed or refused all of
 * them. Until then the report is not acknowledged and the network repeats it; the reversal's idempotency key makes that safe.
 */
export type ReturnAtOnce = (transactionId: string, captures: readonly ExcessCapture[]) => Promise<boolean>

/** Captures whose end this replica remembers, so that it neither asks again nor repeats an alert. */
const MAX_REMEMBERED = 10_000

export function makeReturnAtOnce(dependencies: {
  network: { reverse(transactionId: string, capture: ExcessCapture): Promise<ReversalAnswer> }
  log: Pick<Log, 'error'>
  alerts: Pick<Metrics['alerts'], 'inc'>
}): ReturnAtOnce {
  const { network, log, alerts } = dependencies
  const ended = boundedCache<true>(MAX_REMEMBERED)
  const keyOf = (tr: string, { reference }: ExcessCapture): string => reversalKey({ tr, reference })

  async function giveBack(transactionId: string, capture: ExcessCapture): Promise<void> {
    const answer = await network.reverse(transactionId, capture)
    const reversal = answer === 'unclear' ? answer : answer.status
    // Money that the network refuses to give back is the merchant's or the shopper's only with the help of a person.
    const kinds = reversal === 'failed' ? ['too_many_payments', 'reversal_refused'] : ['too_many_payments']
    for (const kind of kinds) {
      alerts.inc({ kind })
      log.error('alert', { kind, transaction_id: transactionId, reference: maskedId(capture.reference), reversal })
    }
    if (reversal === 'succeeded' || reversal === 'failed') ended.set(keyOf(transactionId, capture), true)
  }

  return async (transactionId, captures) => {
    const isOpen = (capture: ExcessCapture): boolean => !ended.has(keyOf(transactionId, capture))
    for (const capture of captures.filter(isOpen)) await giveBack(transactionId, capture)
    return !captures.some(isOpen)
  }
}
