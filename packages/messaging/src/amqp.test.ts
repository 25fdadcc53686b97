import { once } from 'node:events'
import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { array, assert, asyncProperty, string } from 'fast-check'
import { writeTogether } from './amqp.ts'

/** Records the bytes of each system call. */
function recorder(highWaterMark?: number) {
  const calls: string[] = []
  const stream = new Writable({
    ...(highWaterMark === undefined ? {} : { highWaterMark }),
    write: (chunk: Buffer, _encoding, done) => {
      calls.push(chunk.toString())
      done()
    },
    writev: (chunks: { chunk: Buffer }[], done) => {
      calls.push(Buffer.concat(chunks.map(({ chunk }) => chunk)).toString())
      done()
    },
  })
  writeTogether(stream)
  return { stream, calls }
}

test('what one callback writes goes together right after it, and what a later one writes by itself', async () => {
  const { stream, calls } = recorder()
  const immediatelyAfter = nextTurn()
  for (const text of ['a', 'b', 'c']) stream.write(text)
  await immediatelyAfter
  expect(calls).toEqual(['abc'])
  stream.write('d')
  await nextTurn()
  expect(calls).toEqual(['abc', 'd'])
})

test('a full stream answers false, and emits drain when it has room again', async () => {
  const { stream, calls } = recorder(4)
  expect(stream.write('abc')).toBe(true)
  expect(stream.write('def')).toBe(false)
  await once(stream, 'drain')
  expect(calls).toEqual(['abcdef'])
})

test('an end in the same callback sends what was written', async () => {
  const { stream, calls } = recorder()
  stream.write('a')
  stream.end('b')
  await once(stream, 'finish')
  expect(calls.join('')).toBe('ab')
})

test('a destroy in the same callback drops what was written, and is told once', async () => {
  const { stream, calls } = recorder()
  const hangsUp = once(stream, 'error')
  stream.write('a')
  stream.destroy(new Error('hung up'))
  await expect(hangsUp).resolves.toEqual([new Error('hung up')])
  expect(calls).toEqual([])
})

test('everything arrives in its order', async () => {
  const turns = array(array(string({ unit: 'grapheme-ascii', minLength: 1 })))
  await assert(
    asyncProperty(turns, async (written) => {
      const { stream, calls } = recorder()
      for (const texts of written) {
        for (const text of texts) stream.write(text)
        await nextTurn()
      }
      expect(calls).toEqual(written.map((texts) => texts.join('')).filter((text) => text !== ''))
    }),
  )
})
