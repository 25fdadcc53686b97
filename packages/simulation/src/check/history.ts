/** The history of a run, as its clients saw it: merchants, shoppers and webhook receivers, and the final state of the gateway. */

/** Written down here again, on purpose: the checker must not share a mistake with the code that it checks. */
export const MOVES: Readonly<Record<string, readonly string[]>> = {
  nothing: ['Initiate'],
  Initiate: ['Pending', 'Success', 'Failed'],
  Pending: ['Success', 'Failed'],
  Success: [],
  Failed: [],
}

/** What a client did. */
export type Action =
  | { readonly f: 'create'; readonly order: string; readonly amount: string }
  | { readonly f: 'search'; readonly order: string }
  | { readonly f: 'refund'; readonly order: string; readonly refundId: string; readonly amount: string }
  | { readonly f: 'pay'; readonly order: string; readonly vpa: string }

/** What the client learnt: of a create and a search, the transaction; of a search, its state; of a refund, the gateway's id. */
export interface Learnt {
  readonly transaction?: string
  readonly status?: string
  readonly sequence?: number
  readonly refund?: string
  /** The code of a problem. */
  readonly code?: string
}

/**
 * One call of a client. `ok`: it took effect. `fail`: it did not. `info`: the client cannot know, since there was no answer or the
 * answer was 5xx.
 */
export interface Operation {
  readonly process: string
  readonly action: Action
  /** Milliseconds on the one clock of all clients. */
  readonly invokedMs: number
  readonly endedMs: number
  readonly type: 'ok' | 'fail' | 'info'
  readonly learnt: Learnt
}

/** What every webhook has. */
interface Received {
  readonly atMs: number
  readonly id: string
  readonly status: string
  readonly sequence: number
  readonly body: string
  readonly isAuthentic: boolean
  /** The receiver's answer; `null` when it never answered. */
  readonly answered: number | null
}

/** One webhook of a payment. */
export interface ReceivedChange extends Received {
  readonly transaction: string
  readonly order: string
  /** True when it came to the URL that was registered when the order was created. */
  readonly isAtItsUrl: boolean
}

/** One webhook of a refund. */
export interface ReceivedRefund extends Received {
  readonly refund: string
}

/** A refund as its merchant sees it in the end. */
export interface ShownRefund {
  readonly order: string
  readonly transaction: string
  readonly id: string
  readonly refundId: string
  readonly amount: string
  readonly status: string
  readonly sequence: number
}

/** A refund as the network knows it. */
export interface NetworkRefund {
  readonly transaction: string
  readonly id: string
  readonly amount: string
  readonly status: string
}

/** A status change that payment-status has stored. */
export interface StoredChange {
  readonly transaction: string
  readonly sequence: number
  /** Known of the latest change of each transaction. */
  readonly status?: string
}

/** A payment as the network knows it. */
export interface NetworkPayment {
  readonly transaction: string
  readonly reference: string
  readonly outcome: string
  readonly amount: string
  /** The status of its reversal. */
  readonly reversal: string | null
}

export interface History {
  readonly operations: readonly Operation[]
  readonly webhooks: readonly ReceivedChange[]
  readonly refundWebhooks: readonly ReceivedRefund[]
  /** The rest is read once everything is quiet. */
  readonly changes: readonly StoredChange[]
  readonly payments: readonly NetworkPayment[]
  readonly refunds: readonly ShownRefund[]
  readonly networkRefunds: readonly NetworkRefund[]
  /** What the operators' audit names. */
  readonly gaps: readonly string[]
}

/** The history as JSON lines in the order of time: `{t, process, type, f, …}`; the final state follows without a time. */
export function toJsonLines({ operations, webhooks, refundWebhooks, ...state }: History): string {
  const lines = [
    ...operations.flatMap(({ process, action, invokedMs, endedMs, type, learnt }) => [
      { t: invokedMs, process, type: 'invoke', ...action },
      { t: endedMs, process, type, f: action.f, order: action.order, value: learnt },
    ]),
    ...[...webhooks, ...refundWebhooks].map(({ atMs, ...value }) => ({
      ...{ t: atMs, process: 'receiver', type: 'ok', f: 'webhook' },
      value,
    })),
  ].toSorted((one, other) => one.t - other.t)
  const final = { t: null, process: 'observer', type: 'ok', f: 'final', value: state }
  return [...lines, final].map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** The webhooks of refunds that no receiver has acknowledged, by id: each refund has one for each number of its sequence. */
export function unacknowledgedRefunds({ refunds, refundWebhooks }: Pick<History, 'refunds' | 'refundWebhooks'>): string[] {
  const acknowledged = new Set(refundWebhooks.filter(({ answered }) => answered === 200).map(({ id }) => id))
  const wanted = refunds.flatMap(({ id, sequence }) => Array.from({ length: sequence }, (_, index) => `${id}.${index + 1}`))
  return wanted.filter((id) => !acknowledged.has(id))
}

/** The stored changes whose webhook no receiver has acknowledged. */
export function unacknowledged({ changes, webhooks }: Pick<History, 'changes' | 'webhooks'>): StoredChange[] {
  const acknowledged = new Set(webhooks.filter(({ answered }) => answered === 200).map(({ id }) => id))
  return changes.filter(({ transaction, sequence }) => !acknowledged.has(`${transaction}.${sequence}`))
}
