/** A history without a broken rule, in parts: tests break one rule each. */
import type { History, Operation, ReceivedChange } from '../check/history.ts'
import { violationsOf } from '../check/rules.ts'

export const order = 'mer_1/ORD-1'
export const transaction = 'T1'
export const ran = (action: Operation['action'], atMs: number, learnt: Operation['learnt'] = {}): Operation => ({
  process: 'merchant 1',
  action,
  invokedMs: atMs,
  endedMs: atMs + 5,
  type: 'ok',
  learnt,
})
export const create = ran({ f: 'create', order, amount: '10.00' }, 0, { transaction })
export const pay = ran({ f: 'pay', order, vpa: 'success@sandbox' }, 20)
export const search = (atMs: number, sequence: number) =>
  ran({ f: 'search', order }, atMs, { transaction, sequence, status: sequence === 1 ? 'Initiate' : 'Success' })
export const webhook = (sequence: number, changes: Partial<ReceivedChange> = {}): ReceivedChange => ({
  atMs: 30 + sequence,
  id: `${transaction}.${sequence}`,
  transaction,
  order,
  status: sequence === 1 ? 'Initiate' : 'Success',
  sequence,
  body: `body ${sequence}`,
  isAuthentic: true,
  isAtItsUrl: true,
  answered: 200,
  ...changes,
})
export const payment = { transaction, reference: 'R1', outcome: 'success', amount: '10.00', reversal: null }
export const good: History = {
  operations: [create, search(10, 1), pay, search(40, 2)],
  webhooks: [webhook(1), webhook(2)],
  changes: [
    { transaction, sequence: 1 },
    { transaction, sequence: 2, status: 'Success' },
  ],
  payments: [payment],
  refunds: [],
  networkRefunds: [],
  refundWebhooks: [],
  gaps: [],
}

/** The names of the broken rules, such as `S1`. */
export const rulesBroken = (history: History) => [...new Set(violationsOf(history).map(({ rule }) => rule.split(' ')[0]))]
