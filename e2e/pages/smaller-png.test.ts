import { deflateSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { smallerPng } from './smaller-png.ts'

/** A picture of these rows; the first byte of each row is its filter. */
function aPng(width: number, rows: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(rows.length, 4)
  header.set([8, 2], 8)
  const chunk = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(data.length, 0)
    head.write(type, 4, 'latin1')
    // The checksum is not read.
    return Buffer.concat([head, data, Buffer.alloc(4)])
  }
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  const pixels = deflateSync(Buffer.concat(rows), { level: 0 })
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

/** The rows of a picture without filters. */
function plainRows(png: Buffer): Buffer {
  const at = png.indexOf('IDAT', 0, 'latin1')
  return inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
}

/** Each filter with the result computed by hand: two pixels, two rows. */
test.each([
  [0, [1, 2, 3, 4, 5, 6]],
  [1, [1, 2, 3, 5, 7, 9]],
  [2, [11, 22, 33, 44, 55, 66]],
  [3, [6, 12, 18, 27, 36, 45]],
  [4, [11, 22, 33, 44, 55, 66]],
])('filter %d is undone', (filter, second) => {
  const first = [10, 20, 30, 40, 50, 60]
  const png = smallerPng(aPng(2, [Uint8Array.from([0, ...first]), Uint8Array.from([filter, 1, 2, 3, 4, 5, 6])]))
  expect([...plainRows(png)]).toEqual([0, ...first, 0, ...second])
})

test('the result is never larger than the input', () => {
  const row = fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => Uint8Array.from([0, ...bytes]))
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
      const png = aPng(4, rows)
      expect(smallerPng(png).length).toBeLessThanOrEqual(png.length)
    }),
  )
})
