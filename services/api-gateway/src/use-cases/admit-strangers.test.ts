import { createRateLimiter } from '@gateway/service-kit/limits'
import { createExchangeGate, createStrangerGate } from './admit-strangers.ts'

const FROM = { address: '192.0.2.1', rate: 'create' } as const

/** A gate with two tokens in each bucket of a merchant. */
function start() {
  const limiter = createRateLimiter(2, () => 0)
  const strangers = createStrangerGate(createRateLimiter(0, () => 0))
  const gate = createExchangeGate({ strangers, limits: { create: limiter, write: limiter, read: limiter } })
  return { limiter, begin: (keyId: string) => gate.begin(keyId, FROM) }
}
const LIMITED = expect.objectContaining({ code: 'rate_limited' }) as Error

// Proves: api/merchants-over-their-limit-cause-no-exchange
test('of two first calls of a credential one is accepted: the other one still counts', () => {
  const { limiter, begin } = start()
  const [accepted] = [begin('key-1'), begin('key-1')]
  accepted.accept('mer_1')
  limiter('mer_1')
  expect(() => begin('key-1')).toThrow(LIMITED)
})

// Proves: api/merchants-over-their-limit-cause-no-exchange
test('calls of all credentials of a merchant count together', () => {
  const { begin } = start()
  for (const keyId of ['key-1', 'key-2']) begin(keyId).accept('mer_1')
  const calls = [begin('key-1'), begin('key-2')]
  expect(() => begin('key-1')).toThrow(LIMITED)
  for (const call of calls) call.accept('mer_1')
  begin('key-2')
})
