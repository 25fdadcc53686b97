import { limitRecoveries } from './limit-recoveries.ts'
import type { Replayed } from './replay-dead.ts'

const REQUEST = { since: new Date('2026-11-21T10:00:00Z'), to: 'original' } as const

/** Recoveries that run until `end` is called. */
function recoveries() {
  const ends: (() => void)[] = []
  const recover = limitRecoveries(() => new Promise<Replayed>((resolve) => ends.push(() => resolve({ replayed: 1, skipped: 0 }))))
  return { recover: (merchantId: string) => recover(merchantId, REQUEST), end: () => ends.shift()?.() }
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

  const failing = limitRecoveries(() => Promise.reject(new Error('database away')))
  for (let n = 0; n < 25; n++) await expect(failing('mer_1', REQUEST)).rejects.toThrow('database away')
})
