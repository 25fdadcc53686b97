import fc from 'fast-check'
import { retirementOf, type QueueUse } from './retired-queues.ts'

const at = (ms: number) => new Date(1_700_000_000_000 + ms)
const times = { unusedAfterMs: 100, restMs: 50 }
const stageOf = (facts: Partial<QueueUse>, nowMs: number) =>
  retirementOf({ ttlMs: 1000, in_use_at: at(0), cut_off_at: null, messages: 0, ...facts }, times, at(nowMs))

test.each([
  ['named a moment ago', {}, 99, { stage: 'in_use' }],
  ['named a moment ago, though the broker has lost it', { messages: undefined }, 99, { stage: 'in_use' }],
  ['no longer named by any replica', {}, 100, { stage: 'bound' }],
  ['empty for days, but bound', {}, 999_999_999, { stage: 'bound' }],
  ['cut off just now', { cut_off_at: at(200) }, 200, { stage: 'resting', removableAt: at(1250) }],
  ['cut off, before its delay and the rest are over', { cut_off_at: at(200) }, 1249, { stage: 'resting', removableAt: at(1250) }],
  ['cut off, after them', { cut_off_at: at(200) }, 1250, { stage: 'removable' }],
  ['cut off, after them, not empty', { cut_off_at: at(200), messages: 1 }, 9999, { stage: 'resting', removableAt: at(1250) }],
  ['gone from the broker', { messages: undefined }, 100, { stage: 'removable' }],
] as const)('a queue %s', (_what, facts, nowMs, expected) => {
  expect(stageOf(facts, nowMs)).toEqual(expected)
})

// Proves: webhooks/operator-removes-retired-queues
test('an existing queue is removable only when it is empty, unnamed, and cut off for its delay and the rest time', () => {
  const ms = fc.integer({ min: 0, max: 5000 })
  fc.assert(
    fc.property(ms, fc.option(ms, { nil: undefined }), ms, ms, fc.nat(2), (ttlMs, cutOffMs, inUseMs, nowMs, messages) => {
      const cutOffAt = cutOffMs === undefined ? null : at(cutOffMs)
      const { stage } = retirementOf({ ttlMs, in_use_at: at(inUseMs), cut_off_at: cutOffAt, messages }, times, at(nowMs))
      const may = messages === 0 && cutOffMs !== undefined && nowMs >= cutOffMs + ttlMs + 50 && nowMs >= inUseMs + 100
      expect(stage === 'removable').toBe(may)
    }),
  )
})
