import { releaseStartMemory } from './lifecycle.ts'

const { gc } = globalThis
afterEach(() => {
  globalThis.gc = gc
})

test('the memory of the start is released by one full collection', () => {
  const asked: unknown[] = []
  globalThis.gc = ((options?: unknown) => void asked.push(options)) as NodeJS.GCFunction
  releaseStartMemory()
  expect(asked).toEqual([{ type: 'major', execution: 'sync', flavor: 'last-resort' }])
})

test('without --expose-gc nothing happens', () => {
  globalThis.gc = undefined
  expect(releaseStartMemory).not.toThrow()
})
