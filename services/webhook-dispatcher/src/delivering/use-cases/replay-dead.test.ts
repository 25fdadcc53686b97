import { Refused, Unavailable } from '@gateway/contracts'
import { makeReplayDead } from './replay-dead.ts'

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
          .map((id) => ({ id, createdAt: new Date(0) })),
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
