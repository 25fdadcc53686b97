import type { Log, Metrics } from '@gateway/service-kit'
import type { NetworkConnector } from '../clients/network-connector.ts'
import type { ExcessCapture } from '../domain/transaction.ts'

/**
 * Gives money back that its transaction has no room for. Resolves to true when the network has answered about all of it. Nothing is
 * stored: until then the report is not acknowledged, so the network repeats it, and the reversal's key makes a repeat harmless.
 */
export type ReturnAtOnce = (transactionId: string, captures: readonly ExcessCapture[]) => Promise<boolean>

/** So few that their calls end within the lease of a due transaction. The network reports or lists the others again. */
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
