/** The demo's output: one line for every event of a payment, at the time of the event. */
import { styleText } from 'node:util'
import type { Order } from '@gateway/sdk'
import type { WebhookAttempt } from '../support/merchant-site.ts'

export type Tone = 'plain' | 'good' | 'refused' | 'bad'

/** One line of a payment. */
export interface Entry {
  readonly payment: string
  readonly what: string
  readonly detail: string
  readonly tone?: Tone
}

export type Timeline = (entry: Entry) => void

const COLOURS = { plain: 'reset', good: 'green', refused: 'yellow', bad: 'red' } as const

/** Seconds count from this call. */
export function startTimeline(now: () => number = () => performance.now()): Timeline {
  const startedAt = now()
  return ({ payment, what, detail, tone = 'plain' }) => {
    const seconds = `${((now() - startedAt) / 1000).toFixed(2).padStart(6)} s`
    console.log(`${styled('dim', seconds)}  ${payment.padEnd(8)}  ${what.padEnd(8)}  ${styled(COLOURS[tone], detail)}`)
  }
}

/** Coloured on a terminal, unless `NO_COLOR` is set. */
export function styled(style: 'dim' | 'bold' | 'reset' | 'green' | 'yellow' | 'red', text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

export function describeWebhook({ sequence, attempt, payload, isAuthentic, status }: WebhookAttempt): string {
  const signature = isAuthentic ? 'signature ok' : 'SIGNATURE WRONG'
  return `${sequence} ${payload.status.padEnd(8)}  attempt ${attempt}  ${signature}  answered ${status}`
}

export function describeSearch({ transaction }: Order): string {
  const { status, failure_reason, rrn, payer, reversals, amount_refunded } = transaction
  return [
    status + (failure_reason === null ? '' : ` (${failure_reason})`),
    ...(rrn === null ? [] : [`rrn ${rrn}`]),
    ...(payer === null ? [] : [`paid by ${payer.name}`]),
    ...(amount_refunded === '0.00' ? [] : [`${amount_refunded} refunded`]),
    ...reversals.map(({ amount, reason, status: reversal }) => `${amount} back (${reason}): ${reversal}`),
  ].join('  ')
}
