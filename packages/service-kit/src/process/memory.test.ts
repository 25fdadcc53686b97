import { releaseStartMemory } from './memory.ts'

const { gc } = globalThis
afterEach(() => {
  globalThis.gc = gc
})

test('the exposed collector is asked once for everything that it can find', () => {
  const asked: unknown[] = []
  globalThis.gc = Object.assign((options?: unknown) => void asked.push(options))
  releaseStartMemory()
  expect(asked).toEqual([{ type: 'major', execution: 'sync', flavor: 'last-resort' }])
})

test('without the exposed collector a service starts as well', () => {
  globalThis.gc = undefined
  expect(releaseStartMemory).not.toThrow()
})
