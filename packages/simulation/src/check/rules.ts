/** The rules that every history keeps, whatever fails meanwhile. Their numbers are those of docs/random-faults.md. */
import { MOVES, unacknowledged, type History, type NetworkPayment, type Operation, type StoredChange } from './history.ts'
import { REFUND_RULES } from './refund-rules.ts'

/** A broken rule, with what shows it. */
export interface Violation {
  readonly rule: string
  readonly what: string
}

type Rule = (history: Index) => string[]

/** Payers whose bank captures the money at once and says so to every enquiry; a modifier may follow the name. */
const PAYS_AT_ONCE = /^(?:success|silent|duplicate|reordered|twice)[.@]/u

const RULES: Readonly<Record<string, Rule>> = {
  'S1 one durable order per key': oneOrderPerKey,
  'S2 changes follow the table': changesFollowTheTable,
  'S4 webhooks tell stored changes': webhooksTellStoredChanges,
  'S6 one accepted capture': oneAcceptedCapture,
  'S9 no paid order fails': noPaidOrderFails,
  'S11 search never goes back': searchNeverGoesBack,
  'L1 everything ends': everythingEnds,
}

/** Every broken rule of a history that was read after all faults had ended and the gateway was quiet. */
export function violationsOf(history: History): Violation[] {
  const index = indexOf(history)
  return [
    ...Object.entries(RULES).flatMap(([rule, check]) => check(index).map((what) => ({ rule, what }))),
    ...Object.entries(REFUND_RULES).flatMap(([rule, check]) => check(history).map((what) => ({ rule, what }))),
  ]
}

type Index = ReturnType<typeof indexOf>

function indexOf(history: History) {
  const changes = Map.groupBy(history.changes, ({ transaction }) => transaction)
  for (const list of changes.values()) list.sort((one, other) => one.sequence - other.sequence)
  return {
    ...history,
    changesOf: (transaction: string): readonly StoredChange[] => changes.get(transaction) ?? [],
    operationsByOrder: Map.groupBy(history.operations, ({ action }) => action.order),
    changesByTransaction: changes,
    statusesOf: statusesSeen(history),
    lastStatusOf: (transaction: string): string | undefined => changes.get(transaction)?.at(-1)?.status,
    webhooksByOrder: Map.groupBy(history.webhooks, ({ order }) => order),
    paymentsByTransaction: Map.groupBy(history.payments, ({ transaction }) => transaction),
  }
}

/** By change, every status that anyone has seen of it. */
function statusesSeen({ changes, webhooks, operations }: History): ReadonlyMap<string, ReadonlySet<string>> {
  const seen = new Map<string, Set<string>>()
  const note = (transaction: string | undefined, sequence: number | undefined, status: string | undefined): void => {
    if (transaction === undefined || sequence === undefined || status === undefined) return
    const id = `${transaction}.${sequence}`
    seen.set(id, (seen.get(id) ?? new Set()).add(status))
  }
  for (const { transaction, sequence, status } of [...changes, ...webhooks]) note(transaction, sequence, status)
  for (const { learnt } of operations) note(learnt.transaction, learnt.sequence, learnt.status)
  return seen
}

/** S1: a key has one transaction for ever. An acknowledged create is never unknown afterwards. */
function oneOrderPerKey({ operationsByOrder, changesOf }: Index): string[] {
  const owners = new Map<string, string>()
  return [...operationsByOrder].flatMap(([order, operations]) => {
    const transactions = [...new Set(operations.flatMap(({ learnt }) => learnt.transaction ?? []))]
    const [transaction] = transactions
    if (transaction === undefined) return []
    const problems = transactions.length > 1 ? [`${order} has several transactions: ${transactions.join(', ')}`] : []
    const owner = owners.get(transaction)
    if (owner !== undefined) problems.push(`${transaction} belongs to ${owner} and to ${order}`)
    owners.set(transaction, order)
    if (changesOf(transaction).length === 0) problems.push(`${order} was acknowledged and is lost (${transaction})`)
    const acknowledgedMs = Math.min(...operations.filter(isAcknowledgedCreate).map(({ endedMs }) => endedMs))
    const unknown = operations.find(
      ({ action, invokedMs, learnt }) => action.f === 'search' && invokedMs > acknowledgedMs && learnt.code === 'order_not_found',
    )
    if (unknown) problems.push(`${order} was acknowledged, and a later search did not find it`)
    return problems
  })
}

function isAcknowledgedCreate({ action, type }: Operation): boolean {
  return action.f === 'create' && type === 'ok'
}

/** S2: `Initiate` first, no gap, only moves of the table, and each change has one status for every reader. So a final status stays. */
function changesFollowTheTable({ changesByTransaction, statusesOf }: Index): string[] {
  return [...changesByTransaction].flatMap(([transaction, changes]) => {
    const seen = changes.map(({ sequence }) => [...(statusesOf.get(`${transaction}.${sequence}`) ?? [])])
    return changes.flatMap(({ sequence }, at) => {
      const [statuses = [], before = []] = [seen[at], seen[at - 1]]
      const isAllowed = at === 0 ? isStart(statuses[0]) : isMove(before[0], statuses[0])
      return [
        ...(sequence === at + 1 ? [] : [`${transaction}: change ${at + 1} has the sequence ${sequence}`]),
        ...(statuses.length > 1 ? [`${transaction}.${sequence} was seen as ${statuses.join(' and as ')}`] : []),
        ...(isAllowed ? [] : [`${transaction}: ${before[0] ?? 'nothing'} → ${statuses[0] ?? ''}`]),
      ]
    })
  })
}

/** A status that no reader has seen breaks no rule here; its webhook is missing, which does. */
function isStart(status: string | undefined): boolean {
  return status === undefined || status === 'Initiate'
}

function isMove(from: string | undefined, to: string | undefined): boolean {
  return from === undefined || to === undefined || (MOVES[from]?.includes(to) ?? false)
}

/** S4: a stored change, one body per id, a valid signature, at the URL of the order's creation. */
function webhooksTellStoredChanges({ webhooks, changesOf }: Index): string[] {
  const bodies = new Map<string, string>()
  return webhooks.flatMap(({ id, transaction, sequence, body, isAuthentic, isAtItsUrl }) => {
    const isStored = changesOf(transaction).some((change) => change.sequence === sequence)
    const known = bodies.get(id) ?? body
    bodies.set(id, body)
    return [
      ...(isStored ? [] : [`${id} tells a change that is not stored`]),
      ...(id === `${transaction}.${sequence}` ? [] : [`${id} tells change ${sequence} of ${transaction}`]),
      ...(known === body ? [] : [`${id} came with two bodies`]),
      ...(isAuthentic ? [] : [`${id} has a wrong signature`]),
      ...(isAtItsUrl ? [] : [`${id} came to another URL`]),
    ]
  })
}

/** S6: a paid order keeps one capture, of its amount. The money of all others has gone back, each reversed once. */
function oneAcceptedCapture({ operationsByOrder, lastStatusOf, paymentsByTransaction }: Index): string[] {
  return [...operationsByOrder].flatMap(([order, operations]) => {
    const transaction = transactionOf(operations)
    const kept = (paymentsByTransaction.get(transaction) ?? []).filter(isKept)
    const status = lastStatusOf(transaction)
    const amount = operations.map(({ action }) => (action.f === 'create' ? action.amount : undefined)).find(Boolean)
    if (status !== 'Success')
      return kept.length === 0 ? [] : [`${order} is ${status ?? 'unknown'}, and ${kept.length} captures are kept`]
    if (kept.length !== 1) return [`${order} is paid, and ${kept.length} captures are kept`]
    return kept[0]?.amount === amount ? [] : [`${order} is paid with ${kept[0]?.amount ?? ''} instead of ${amount ?? ''}`]
  })
}

function isKept({ outcome, reversal }: NetworkPayment): boolean {
  return outcome === 'success' && reversal === null
}

function transactionOf(operations: readonly Operation[]): string {
  return operations.find(({ learnt }) => learnt.transaction !== undefined)?.learnt.transaction ?? ''
}

/** S9: `Failed` needs the network's word. A bank that took the money of an open order would not have given it. */
function noPaidOrderFails({ operationsByOrder, lastStatusOf }: Index): string[] {
  return [...operationsByOrder].flatMap(([order, operations]) => {
    const isPaid = operations.some(({ action, type }) => action.f === 'pay' && type === 'ok' && PAYS_AT_ONCE.test(action.vpa))
    const isFailed = lastStatusOf(transactionOf(operations)) === 'Failed'
    return isPaid && isFailed ? [`${order} was paid, and is Failed`] : []
  })
}

/** S11: no search is older than an earlier one that had ended, or than a webhook that had come. */
function searchNeverGoesBack({ operationsByOrder, webhooksByOrder }: Index): string[] {
  return [...operationsByOrder].flatMap(([order, operations]) => {
    const searches = operations.filter(({ action, type }) => action.f === 'search' && type === 'ok')
    const seen = [
      ...searches.map(({ endedMs, learnt }) => ({ atMs: endedMs, sequence: learnt.sequence ?? 0, by: 'search' })),
      ...(webhooksByOrder.get(order) ?? []).map(({ atMs, sequence }) => ({ atMs, sequence, by: 'webhook' })),
    ]
    return searches.flatMap(({ invokedMs, learnt }) => {
      const newer = seen.find(({ atMs, sequence }) => atMs < invokedMs && sequence > (learnt.sequence ?? 0))
      return newer ? [`${order}: search answers ${learnt.sequence ?? 0} after a ${newer.by} told ${newer.sequence}`] : []
    })
  })
}

/** Liveness: each order is final, each change acknowledged by its merchant, each reversal done, the audit clean. */
function everythingEnds({ changesByTransaction, lastStatusOf, changes, webhooks, payments, gaps }: Index): string[] {
  return [
    ...[...changesByTransaction.keys()].flatMap((transaction) => {
      const status = lastStatusOf(transaction)
      const isFinal = status !== undefined && MOVES[status]?.length === 0
      return isFinal ? [] : [`${transaction} is still ${status ?? 'without a status'}`]
    }),
    ...unacknowledged({ changes, webhooks }).map(
      ({ transaction, sequence }) => `the webhook ${transaction}.${sequence} was never acknowledged`,
    ),
    ...payments
      .filter(({ reversal }) => reversal === 'pending')
      .map(({ reference }) => `the reversal of ${reference} is pending`),
    ...gaps.map((gap) => `audit: ${gap}`),
  ]
}
