import fc from 'fast-check'
import { PLANTED_FORMS } from '@gateway/testkit/card-numbers'
import { scanStream } from './scan-stream.ts'

const CARD = '4111111111111111'

test('a number is found once, in every form and wherever the stream is cut', async () => {
  const form = fc.constantFrom(...Object.values(PLANTED_FORMS))
  const cuts = fc.array(fc.integer({ min: 700, max: 20_000 }), { minLength: 1, maxLength: 10 })
  const place = fc.integer({ min: 0, max: 15_000 })
  const property = fc.asyncProperty(form, place, cuts, async (write, before, sizes) => {
    const bytes = Buffer.concat([Buffer.alloc(before, '\n{"a":'), Buffer.from(write(CARD)), Buffer.alloc(9000, '}, ')])
    const pieces: Buffer[] = []
    for (let from = 0; from < bytes.length; from += pieces.at(-1)?.length ?? 1)
      pieces.push(bytes.subarray(from, from + (sizes[pieces.length % sizes.length] ?? 1)))
    const { findings, bytes: read } = await scanStream(pieces, 'issued')
    expect(read).toBe(bytes.length)
    expect(findings.filter(({ digits }) => digits === CARD)).toHaveLength(1)
  })
  await fc.assert(property, { numRuns: 100 })
})

test('places count from the beginning of the stream', async () => {
  const { findings } = await scanStream([Buffer.alloc(20_000, '.'), Buffer.from(`"${CARD}"`)], 'any')
  expect(findings).toMatchObject([{ start: 20_001, end: 20_017, form: 'plain' }])
})

test('the number of findings is bounded', async () => {
  const many = Array.from({ length: 20 }, () => Buffer.from(`${CARD};`.repeat(1000)))
  const { findings } = await scanStream(many, 'any')
  expect(findings).toHaveLength(1000)
})
