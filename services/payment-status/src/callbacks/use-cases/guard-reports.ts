import type { Log, Metrics } from '@gateway/service-kit'
import { safeReport, type Texts } from '../domain/acquirer-text.ts'

/** Every report of the network passes through it, from a callback or an answer, before anything stores, answers or logs its texts. */
export type GuardReport = <T extends Texts>(report: T) => T

/** Counts and logs that a report held something like a card number, without the number. */
export function makeGuardReport({
  log,
  alerts,
}: {
  log: Pick<Log, 'warn'>
  alerts: Pick<Metrics['alerts'], 'inc'>
}): GuardReport {
  return (given) => {
    const { report, cardsIn } = safeReport(given)
    if (cardsIn.length > 0) {
      alerts.inc({ kind: 'card_number_from_network' })
      log.warn('card number in a report of the network', { fields: cardsIn })
    }
    return report
  }
}
