import fc from 'fast-check'
import { scanStream } from './scan-stream.ts'
import { withoutPageHeaders } from './sources.ts'

/** A log of some pages with a value cut in two by the header of the third. */
function log(value: string, before: number): Buffer {
  const page = (header: number, content: Buffer): Buffer => Buffer.concat([Buffer.alloc(header, 0xd1), content], 8192)
  return Buffer.concat([
    page(40, Buffer.alloc(8152, 'a')),
    page(24, Buffer.concat([Buffer.alloc(8168 - before, 'b'), Buffer.from(value.slice(0, before))])),
    page(24, Buffer.from(value.slice(before))),
  ])
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

test('a number that a page header splits is found, in pieces of any size', async () => {
  const cut = fc.integer({ min: 1, max: 15 })
  const property = fc.asyncProperty(cut, fc.integer({ min: 1000, max: 30_000 }), async (before, size) => {
    const bytes = log('4111111111111111', before)
    expect((await scanStream(pieces(bytes, size), 'issued')).findings).toEqual([])
    const { findings } = await scanStream(withoutPageHeaders(pieces(bytes, size)), 'issued')
    expect(findings.map(({ digits }) => digits)).toEqual(['4111111111111111'])
  })
  await fc.assert(property)
})
