import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { mongo } from 'mongoose'
import { readBsonFile, sha256Of, splitDocuments, writeBsonFile } from './folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'bson-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const document of source) found.push(mongo.BSON.deserialize(document))
  return found
}

const anyDocuments = fc.array(fc.record({ _id: fc.string(), text: fc.string({ maxLength: 300 }), n: fc.integer() }), {
  maxLength: 20,
})

test('wherever the bytes are cut, the same documents come out', async () => {
  await fc.assert(
    fc.asyncProperty(anyDocuments, fc.integer({ min: 1, max: 97 }), async (documents, size) => {
      const bytes = Buffer.concat(documents.map((document) => mongo.BSON.serialize(document)))
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      expect(await collect(splitDocuments(each(chunks)))).toEqual(documents)
    }),
  )
})

test('a written file can be read; it is private and never overwritten', async () => {
  const file = join(folder, 'whole.bson.gz')
  const documents = [{ _id: '1' }, { _id: '2', text: 'आशा' }]
  const sha256 = await writeBsonFile(file, each(documents.map((document) => mongo.BSON.serialize(document))))
  expect(await sha256Of(file)).toBe(sha256)
  expect(await collect(readBsonFile(file))).toEqual(documents)
  await expect(writeBsonFile(file, each([]))).rejects.toThrow('EEXIST')
})

test('a file without a document is a file', async () => {
  const file = join(folder, 'empty.bson.gz')
  await writeBsonFile(file, each([]))
  expect(await collect(readBsonFile(file))).toEqual([])
})

const document = Buffer.from(mongo.BSON.serialize({ _id: '1', text: 'x'.repeat(50) }))
// Proves: operate/restore-is-exact
test.each([
  ['cut within a document', gzipSync(document.subarray(0, 40)), 'ends within a document'],
  ['cut within its compression', gzipSync(document).subarray(0, 30), 'unexpected end of file'],
  ['of another kind', gzipSync(Buffer.from('{"_id":"1"}')), 'not a file of BSON documents'],
  ['not compressed', document, 'incorrect header check'],
])('a file that is %s is refused', async (_how, bytes, why) => {
  const file = join(folder, 'damaged.bson.gz')
  writeFileSync(file, bytes)
  await expect(collect(readBsonFile(file))).rejects.toThrow(why)
})

test('a file that is missing is refused', async () => {
  await expect(collect(readBsonFile(join(folder, 'missing.bson.gz')))).rejects.toThrow('ENOENT')
})
