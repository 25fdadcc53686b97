import { inTimelineOrder, type AttemptError } from '@gateway/contracts'
import { notSent, resendOf, type Attempt, type Delivery, type DeliveryState } from './delivery.ts'
import { timelineOf } from './timeline.ts'

const at = (seconds: number): Date => new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000)
const made = (number: number, statusCode: number | null, error: AttemptError | null = null): Attempt => ({
  ...{ number, at: at(number * 10), duration_ms: 1000, status_code: statusCode, error, address: null, response_excerpt: null },
})
const exhausted = { status: 'dead', reason: 'exhausted' } as const
const aDelivery = (attempts: readonly Attempt[], state: DeliveryState, more: Partial<Delivery> = {}): Delivery => ({
  ...{ channel: 'payment', resends: [] },
  ...{ id: 'T1.2', merchant_id: 'M1', order_id: 'ORD-1', transaction_id: 'T1', sequence: 2, correlation_id: 'c', body: '{}' },
  ...{ url: 'https://shop.example/hook', original_url: 'https://shop.example/hook', state, attempts, round_start: 0 },
  ...{ attempt_count: attempts.at(-1)?.number ?? 0, occurred_at: at(0), created_at: at(0), ...more },
})
const told = (delivery: Delivery): string[] =>
  inTimelineOrder(timelineOf(delivery)).map(({ at: time, kind, detail }) => {
    const facts = [detail['attempt'], detail['result'], detail['reason'], detail['attempts'], detail['after_attempts']]
    return [time.slice(17, 19), kind, ...facts.filter((fact) => fact !== undefined)].join(' ')
  })

// Proves: ledger/timeline-tells-the-whole-payment
test('the end of the schedule is a line behind the last attempt, and stays one after a resend', () => {
  const failed = [made(1, 500), made(2, null, 'timeout')]
  const dead = aDelivery(failed, exhausted)
  const first = ['10 webhook.attempt 1 not acknowledged', '20 webhook.attempt 2 not acknowledged', '21 webhook.dead exhausted 2']
  expect(told(dead)).toEqual(first)
  const resends = [resendOf(dead, at(25))]
  const reopened = { ...dead, resends, state: { status: 'retrying', next_attempt_at: at(25) } } as const
  expect(told(reopened)).toEqual([...first, '25 webhook.resent 2'])
  const deadAgain = { ...reopened, attempts: [...failed, made(3, 500)], attempt_count: 3, state: exhausted }
  const second = [...first, '25 webhook.resent 2', '30 webhook.attempt 3 not acknowledged', '31 webhook.dead exhausted 3']
  expect(told(deadAgain)).toEqual(second)
  const url = 'https://new.example/secret-path'
  const delivered: Delivery = {
    ...deadAgain,
    ...{ url, resends: [...resends, resendOf(deadAgain, at(35))], attempts: [...deadAgain.attempts, made(4, 200)] },
    ...{ attempt_count: 4, state: { status: 'delivered' as const } },
  }
  expect(told(delivered)).toEqual([...second, '35 webhook.resent 3', '40 webhook.attempt 4 acknowledged'])
  const origins = timelineOf(delivered).flatMap(({ detail }) => detail['url_origin'] ?? [])
  expect(origins).toEqual([...Array<string>(3).fill('https://shop.example'), 'https://new.example'])
})

test('an endpoint that answers 410 ends the delivery; a webhook that was not sent has one line; a resend of an open one is no end', () => {
  const gone = aDelivery([made(1, 410)], { status: 'dead', reason: 'endpoint_disabled' })
  expect(told(gone)).toEqual(['10 webhook.attempt 1 not acknowledged', '11 webhook.dead endpoint_disabled 1'])
  const unsent = aDelivery([notSent('no_endpoint', at(5))], { status: 'dead', reason: 'no_endpoint' }, { url: null })
  expect(told(unsent)).toEqual(['05 webhook.dead no_endpoint'])
  const reopened = {
    ...unsent,
    resends: [resendOf(unsent, at(8))],
    attempts: [...unsent.attempts, made(1, 200)],
    attempt_count: 1,
  }
  expect(told({ ...reopened, state: { status: 'delivered' } })).toEqual([
    ...['05 webhook.dead no_endpoint', '08 webhook.resent 0', '10 webhook.attempt 1 acknowledged'],
  ])
  const open = aDelivery([made(1, 500)], { status: 'retrying', next_attempt_at: at(60) })
  expect(told({ ...open, resends: [resendOf(open, at(15))] })).toEqual([
    ...['10 webhook.attempt 1 not acknowledged', '15 webhook.resent 1'],
  ])
})
