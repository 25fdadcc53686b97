import { once } from 'node:events'
import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { array, assert, asyncProperty, string } from 'fast-check'
import { writeTogether } from './write-together.ts'

/** Keeps what each call of the system would get. */
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

test('what is written in one turn goes together, and a later turn by itself', async () => {
  const { stream, calls } = recorder()
  for (const text of ['a', 'b', 'c']) stream.write(text)
  await nextTurn()
  stream.write('d')
  await nextTurn()
  expect(calls).toEqual(['abc', 'd'])
})

test('a full stream says so, and says when it has room again', async () => {
  const { stream, calls } = recorder(4)
  expect(stream.write('abc')).toBe(true)
  expect(stream.write('def')).toBe(false)
  await once(stream, 'drain')
  expect(calls).toEqual(['abcdef'])
})

test('a stream that ends or is destroyed in the same turn behaves as before', async () => {
  const ended = recorder()
  ended.stream.write('a')
  ended.stream.end('b')
  await once(ended.stream, 'finish')
  expect(ended.calls.join('')).toBe('ab')

  const destroyed = recorder()
  const hangsUp = once(destroyed.stream, 'error')
  destroyed.stream.write('a')
  destroyed.stream.destroy(new Error('hung up'))
  await hangsUp
  expect(destroyed.calls).toEqual([])
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
