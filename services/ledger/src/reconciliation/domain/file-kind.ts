/** As many bytes as `foreignKind` looks at. */
export const START_BYTES = 512

/** The first bytes of what people export by mistake in place of CSV. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['504b0304', 'an Excel workbook (.xlsx) or another ZIP archive'],
  ['d0cf11e0', 'an old Excel workbook (.xls)'],
  ['25504446', 'a PDF'],
  ['1f8b', 'compressed with gzip'],
  ['fffe', 'text in UTF-16'],
  ['feff', 'text in UTF-16'],
]

/** What a file is that cannot be CSV in UTF-8, by its first bytes; `undefined` for what may be CSV. */
export function foreignKind(start: Buffer): string | undefined {
  const hex = start.toString('hex')
  const [, kind] = SIGNATURES.find(([signature]) => hex.startsWith(signature)) ?? []
  if (kind !== undefined) return kind
  if (start.includes(0)) return 'text in UTF-16, or no text at all'
  const [first] = start.toString('utf8').trim()
  if (first === '<') return 'HTML or XML'
  return first === '{' || first === '[' ? 'JSON' : undefined
}
