import type { RecordedWebhook } from '../../deliveries/index.ts'
import { makeCopyWebhooks } from './copy-webhooks.ts'

const START_MS = Date.parse('2026-11-21T10:00:00Z')
const [SECOND_MS, MINUTE_MS] = [1000, 60_000]
const LOOK_BACK_MS = 90 * SECOND_MS
const agoMs = (ms: number) => new Date(START_MS - ms)
const seconds = (instant: Date | undefined) => (instant ? (instant.getTime() - START_MS) / SECOND_MS : undefined)

/** Copying from an instant on, over recorded webhooks that all reads bring, and reads that take so long. */
function copying({ since, recorded = [], stored = [], readMs = 0 }: Options) {
  const clock = { nowMs: START_MS }
  const [ranges, read]: [(number | undefined)[][], string[][]] = [[], []]
  const copyWebhooks = makeCopyWebhooks({
    readModel: {
      webhookIds: async (_merchantId, from, to) => {
        clock.nowMs += readMs
        ranges.push([seconds(from), seconds(to)])
        return [...recorded]
      },
      webhooks: async (ids) => {
        read.push([...ids])
        return ids.map((id): RecordedWebhook => ({ id, merchant_id: 'mer_1', sequence: 1, body: '{}', created_at: since }))
      },
    },
    copies: { missing: async (ids) => ids.filter((id) => !stored.includes(id)), append: async () => undefined },
    lookBackMs: LOOK_BACK_MS,
    now: () => new Date(clock.nowMs),
  })
  return { clock, ranges, read, ...copyWebhooks('mer_1', since) }
}

interface Options {
  readonly since: Date
  readonly recorded?: string[]
  readonly stored?: readonly string[]
  readonly readMs?: number
}

test('one range of time follows the other; the last has no end, and the next look begins before it', async () => {
  const { copyNext, ranges, clock } = copying({ since: agoMs(4 * MINUTE_MS) })
  for (const isComplete of [false, false, true]) expect(await copyNext()).toEqual({ mayHaveCopied: false, isComplete })
  clock.nowMs += 10 * SECOND_MS
  await copyNext()
  expect(ranges).toEqual([
    [-240, -180],
    [-180, -120],
    [-120, undefined],
    [-90, undefined],
  ])
})

test('webhooks older than an hour are left out', async () => {
  const { copyNext, ranges } = copying({ since: agoMs(24 * 60 * MINUTE_MS) })
  await copyNext()
  expect(ranges).toEqual([[-3600, -3540]])
})

test('a webhook is copied once, and read only when it has no copy', async () => {
  const recorded = ['a', 'b']
  const { copyNext, read } = copying({ since: agoMs(0), recorded, stored: ['b'] })
  expect(await copyNext()).toEqual({ mayHaveCopied: true, isComplete: true })
  expect(await copyNext()).toEqual({ mayHaveCopied: false, isComplete: true })
  recorded.push('c')
  expect(await copyNext()).toEqual({ mayHaveCopied: true, isComplete: true })
  expect(read).toEqual([['a'], ['c']])
})

test.each([
  ['four times as long as the look took', 100, 400],
  ['two seconds at most', 5000, 2000],
])('after a look there is none for a while: %s', async (_how, readMs, restMs) => {
  const { copyNext, ranges, clock } = copying({ since: agoMs(0), readMs })
  await copyNext()
  clock.nowMs += restMs - 1
  expect(await copyNext()).toEqual({ mayHaveCopied: false, isComplete: true })
  expect(ranges).toHaveLength(1)
  clock.nowMs += 1
  await copyNext()
  expect(ranges).toHaveLength(2)
})
