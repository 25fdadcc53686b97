import { keepAnswer } from './kept-answer.ts'

/** What is asked counts; a test sets the clock and whether the next request fails. */
function asked(keptMs: number) {
  const state = { count: 0, nowMs: 0, fails: false }
  const ask = async () => {
    state.count++
    await Promise.resolve()
    if (state.fails) throw new Error('away')
    return state.count
  }
  return { state, find: keepAnswer(ask, { keptMs: () => keptMs, now: () => new Date(state.nowMs) }) }
}

test('concurrent callers share one request, and its answer is kept for its time', async () => {
  const { state, find } = asked(1000)
  expect(await Promise.all([find(), find()])).toEqual([1, 1])
  state.nowMs = 999
  expect(await find()).toBe(1)
  state.nowMs = 1000
  expect(await find()).toBe(2)
})

test('a failure is told to all that wait for it, and is not kept', async () => {
  const { state, find } = asked(1000)
  state.fails = true
  const failed = await Promise.allSettled([find(), find()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  state.fails = false
  expect([await find(), state.count]).toEqual([2, 2])
})

test('with no time to keep it, only requests in flight are shared', async () => {
  const { find } = asked(0)
  expect(await Promise.all([find(), find()])).toEqual([1, 1])
  expect(await find()).toBe(2)
})
