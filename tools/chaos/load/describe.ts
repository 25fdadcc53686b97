import type { Account } from './account.ts'

/** For people. */
export function describeAccount(account: Account): string {
  const { sent, shed, failed, failures, orders, paid, ordersLost, unfinished, committed, acknowledged, lost, repeated, gaps } =
    account
  return [
    `requests sent ${sent}, refused for now ${shed}, failed ${failed}`,
    ...Object.entries(failures).map(([failure, count]) => `  ${count} × ${failure}`),
    `orders created ${orders} (lost ${ordersLost}), payments accepted ${paid} (not finished ${unfinished})`,
    `status changes committed ${committed}, webhooks acknowledged ${acknowledged} (sent again ${repeated}), lost ${lost}`,
    `audit: ${gaps.length === 0 ? 'clean' : gaps.slice(0, 10).join(', ')}`,
  ].join('\n')
}
