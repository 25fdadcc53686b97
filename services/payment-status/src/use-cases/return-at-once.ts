import type { Log, Metrics } from '@gateway/service-kit'
import type { NetworkConnector } from '../clients/network-connector.ts'
import type { ExcessCapture } from '../domain/transaction.ts'

/**
 * Reverses captures that their transaction has no room to store. Resolves to true when the network has reversed or refused all of
 * them. Until then the report is not acknowledged and the network repeats it; the reversal's idempotency key makes that safe.
 */
export type ReturnAtOnce = (transactionId: string, captures: readonly ExcessCapture[]) => Promise<boolean>

/** Few enough that their calls end within the lease of a due transaction. The network reports or lists the others again. */
const AT_ONCE = 4

export function makeReturnAtOnce(dependencies: {
  network: Pick<NetworkConnector, 'reverse'>
  log: Pick<Log, 'error'>
  alerts: Pick<Metrics['alerts'], 'inc'>
}): ReturnAtOnce {
  const { network, log, alerts } = dependencies
  return async (transactionId, captures) => {
    const answers = []
    for (const capture of captures.slice(0, AT_ONCE)) {
      const answer = await network.reverse(transactionId, capture)
      const status = answer === 'unclear' ? answer : answer.status
      alerts.inc({ kind: 'too_many_payments' })
      log.error('alert', { kind: 'too_many_payments', transaction_id: transactionId, reversal: status })
      answers.push(status)
    }
    return captures.length <= AT_ONCE && answers.every((status) => status === 'succeeded' || status === 'failed')
  }
}
