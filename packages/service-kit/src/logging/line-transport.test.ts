import { once } from 'node:events'
import { LineStream } from './line-stream.ts'

test('lines go out together and in order, by themselves or when they are asked for', async () => {
  const written: string[] = []
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const stream = new LineStream((lines) => {
    written.push(lines)
    resolve(undefined)
  })
  stream.write('one\n')
  stream.write('two\n')
  expect(written).toEqual([])
  await promise
  stream.write('three\n')
  stream.flush()
  stream.flush()
  expect(written).toEqual(['one\ntwo\n', 'three\n'])
})

test('a long line is written at once', async () => {
  const written: number[] = []
  const stream = new LineStream((lines) => written.push(lines.length))
  stream.end(`${'x'.repeat(40_000)}\n`)
  await once(stream, 'finish')
  expect(written).toEqual([40_001])
})
