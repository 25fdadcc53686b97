import { createHandlerSlots } from './handler-slots.ts'

test('no more than the limit run at once, and the longest waiting goes first', async () => {
  const slots = createHandlerSlots(2)
  const [a, order] = [{}, [] as string[]]
  const [first] = await Promise.all([slots.acquire(a), slots.acquire(a)])
  const third = slots.acquire({}).then(() => order.push('third'))
  const fourth = slots.acquire(a).then(() => order.push('fourth'))
  await Promise.resolve()
  expect(order).toEqual([])
  first?.()
  await third
  first?.()
  await Promise.resolve()
  expect(order).toEqual(['third'])
  void fourth
})

// A consumer that stops must not wait for the handlers of others.
test('withdrawing ends the waiting of one owner', async () => {
  const slots = createHandlerSlots(1)
  const [gone, stays] = [{}, {}]
  const free = await slots.acquire(gone)
  const waiting = [slots.acquire(gone), slots.acquire(stays)] as const
  slots.withdraw(gone)
  expect(await waiting[0]).toBeUndefined()
  free?.()
  expect(await waiting[1]).toBeInstanceOf(Function)
})
