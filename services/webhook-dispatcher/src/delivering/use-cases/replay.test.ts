import { Refused, Unavailable } from '@gateway/contracts'
import { endpointIdIn, type KnownEndpoint } from '../../endpoints/index.ts'
import { makeLimitRecoveries, makeRecoverDeliveries, makeReplayDead, type Replayed } from './replay.ts'

const ids = Array.from({ length: 45 }, (_, index) => `d${index}`)

/** A replay with a clock that moves only while a caller waits, and the times of its sends. */
function aReplay(fails: (id: string) => Error | undefined = () => undefined) {
  let nowMs = 1_000_000
  const times: number[] = []
  const replayDead = makeReplayDead({
    lists: {
      positionsOfDead: async (_filter, { limit, after }) =>
        ids
          .slice(after ? ids.indexOf(after.id) + 1 : 0)
          .slice(0, limit)
          .map((id) => ({ id, created_at: new Date(0) })),
    },
    resend: {
      dead: async (id) => {
        const error = fails(id)
        if (error) throw error
        times.push(nowMs)
      },
    },
    now: () => new Date(nowMs),
    waitUntil: async (instantMs) => void (nowMs = Math.max(nowMs, instantMs)),
  })
  return { replayDead, times }
}

// Proves: webhooks/operators-list-and-replay
test.each([1, 7, 20, 200])('%i a second: never more in any second, also with two replays at once', async (rate) => {
  const { replayDead, times } = aReplay()
  await Promise.all([replayDead({ limit: 45, ratePerSecond: rate }), replayDead({ limit: 45, ratePerSecond: rate })])
  expect(times.length).toBeGreaterThan(0)
  for (const start of times) {
    const within = times.filter((at) => at >= start && at < start + 1000).length
    // A group is sent at once, so one second may hold one group more.
    expect(within).toBeLessThanOrEqual(rate + Math.min(20, Math.ceil(rate / 10)))
  }
})

test('a step ends after ten seconds and says where the next one begins; together they send each delivery once', async () => {
  const { replayDead, times } = aReplay()
  const first = await replayDead({ limit: 45, ratePerSecond: 1 })
  // The first one immediately, the last one after ten seconds.
  expect(first.replayed).toBe(11)
  let [after, sent] = [first.next, first.replayed]
  while (after) {
    const step = await replayDead({ limit: 45, ratePerSecond: 1, after })
    sent += step.replayed
    after = step.next
  }
  expect([sent, times.length]).toEqual([45, 45])
})

test.each([new Refused('endpoint_missing', 'none'), new Unavailable('delivery_busy', 'busy')])(
  'a delivery with %s is skipped; any other error ends the step',
  async (skipped) => {
    const { replayDead } = aReplay((id) => (id === 'd1' ? skipped : undefined))
    expect(await replayDead({ limit: 3, ratePerSecond: 100 })).toMatchObject({ replayed: 2, skipped: 1, next: { id: 'd2' } })
    const broken = aReplay(() => new Error('database away'))
    await expect(broken.replayDead({ limit: 3, ratePerSecond: 100 })).rejects.toThrow('database away')
  },
)

describe('a recovery', () => {
  const NOW = new Date('2026-11-21T10:00:00Z')
  const known = (merchantId: string): KnownEndpoint => ({
    endpoint: {
      id: endpointIdIn(merchantId),
      registrations: [{ url: 'https://merchant.example/webhooks', since: new Date('2026-11-20T10:00:00Z') }],
      secrets: [],
      health: [],
    },
    signingKeys: () => [],
  })

  function recoverWith(...registered: string[]) {
    return makeRecoverDeliveries({
      replayDead: () => Promise.resolve({ replayed: 3, skipped: 0 }),
      ...aMerchantWith(...registered),
    })
  }

  function aMerchantWith(...registered: string[]) {
    const findEndpoint = (id: string) => Promise.resolve(registered.includes(id) ? known(id) : undefined)
    return { findEndpoint, now: () => NOW }
  }

  // Proves: access/repetition-is-no-entry
  test.each([
    [0, 0],
    [3, 1],
  ])('a recovery that sends %i deliveries is written to the audit %i times', async (sent, entries) => {
    let begun = 0
    const recover = makeRecoverDeliveries({
      replayDead: async (_request, begin) => {
        await Promise.all(Array.from({ length: sent }, async () => begin?.()))
        return { replayed: sent, skipped: 0 }
      },
      ...aMerchantWith('mer_1'),
    })
    await recover('mer_1', { since: NOW, to: 'current' }, async () => void (begun += 1))
    expect(begun).toBe(entries)
  })

  // Proves: webhooks/refund-endpoint-is-its-own
  test.each([['mer_1'], ['mer_1:refund']])('dead webhooks are sent again to a merchant whose only endpoint is %s', async (id) => {
    expect(await recoverWith(id)('mer_1', { since: NOW, to: 'current' }, async () => {})).toEqual({ replayed: 3, skipped: 0 })
  })

  test('without an endpoint of either kind there is nothing to send to', async () => {
    await expect(recoverWith('mer_2')('mer_1', { since: NOW, to: 'original' }, async () => {})).rejects.toMatchObject({
      code: 'endpoint_missing',
    })
  })
})

describe('the limit of recoveries', () => {
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
})
