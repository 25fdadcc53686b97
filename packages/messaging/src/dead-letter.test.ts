import { Refused, Unavailable } from '@gateway/contracts'
import { toProblem } from '@gateway/service-kit/http'
import { createFailures, failureReason } from './dead-letter.ts'
import { BrokerUnavailable } from './errors.ts'
import type { IncomingMessage } from './message.ts'

const message = (messageId: string): IncomingMessage => ({
  body: Buffer.from('{}'),
  messageId,
  type: 'order.created',
  correlationId: 'c',
  headers: {},
  redelivered: false,
  routingKey: 'order.created',
  deliveryCount: 1,
  publishedAtMs: undefined,
})
const away = new Error('database away')

// Proves: broker/handler-error-own-dead-lettered
test('a message is given up at its fifth failure, each message on its own', () => {
  const failures = createFailures(() => false)
  const answers = Array.from({ length: 5 }, () => failures.isFinal(message('a'), new Error('broken')))
  expect(answers).toEqual([false, false, false, false, true])
  expect(failures.isFinal(message('b'), new Error('broken'))).toBe(false)
})

// Proves: broker/failing-handler-gets-a-redelivery
test('temporary errors never count', () => {
  const failures = createFailures((error) => error === away)
  for (const error of [away, new BrokerUnavailable('away'), new Unavailable('network_busy', 'The queue is full')]) {
    for (let time = 0; time < 20; time++) expect(failures.isFinal(message('a'), error)).toBe(false)
  }
})

// Proves: api/every-code-has-a-status, api/retry-after
test.each([
  new BrokerUnavailable('why'),
  ...(['publish_timeout', 'publish_returned', 'publish_refused', 'publish_overloaded'] as const).map(
    (code) => new Unavailable(code, 'why'),
  ),
])('to a caller, $code is 503 with a time to come back', (failure) => {
  expect(toProblem(failure)).toMatchObject({ status: 503, retryAfterSeconds: 1 })
})

test('a success forgets earlier failures', () => {
  const failures = createFailures(() => false)
  for (let time = 0; time < 4; time++) failures.isFinal(message('a'), new Error('broken'))
  failures.forget(message('a'))
  expect(failures.isFinal(message('a'), new Error('broken'))).toBe(false)
})

test('the reason names the kind of the error and quotes nothing', () => {
  expect(failureReason(new TypeError('secret'))).toBe('handler_failed: TypeError')
  expect(failureReason(new Refused('endpoint_missing', 'secret'))).toBe('handler_failed: endpoint_missing')
  expect(failureReason('secret')).toBe('handler_failed: string')
})
