import { makeLimitRecoveries } from './recover-deliveries.ts'
import type { Replayed } from './replay-dead.ts'

/** Recoveries that run until `end` is called. */
function recoveries() {
  const ends: (() => void)[] = []
  const limit = makeLimitRecoveries()
  const run = () => new Promise<Replayed>((resolve) => ends.push(() => resolve({ replayed: 1, skipped: 0 })))
  return { recover: (merchantId: string) => limit(merchantId, run), end: () => ends.shift()?.() }
}

// Proves: api/recover-is-paced-per-merchant
test('a merchant’s second recovery is refused while the first one runs; another merchant’s is not', async () => {
  const { recover, end } = recoveries()
  const [first, other] = [recover('mer_1'), recover('mer_2')]
  await expect(recover('mer_1')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 5 })
  end()
  expect(await first).toMatchObject({ replayed: 1 })
  const second = recover('mer_1')
  end()
  end()
  await Promise.all([other, second])
})

// Proves: api/recover-is-paced-per-merchant
test('twenty merchants at once, no more; one that failed counts no longer', async () => {
  const { recover, end } = recoveries()
  const running = Array.from({ length: 20 }, (_, index) => recover(`mer_${index}`))
  await expect(recover('mer_20')).rejects.toMatchObject({ code: 'rate_limited' })
  running.forEach(end)
  await Promise.all(running)

  const limit = makeLimitRecoveries()
  const failing = () => limit('mer_1', () => Promise.reject(new Error('database away')))
  for (let tries = 0; tries < 25; tries++) await expect(failing()).rejects.toThrow('database away')
})
