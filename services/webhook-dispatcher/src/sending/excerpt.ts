const MAX_EXCERPT_BYTES = 1024

/** The beginning of a response body as printable text of at most 1 KiB; `null` when it is empty. */
export function excerptOf(body: Buffer): string | null {
  if (body.length === 0) return null
  const text = body.subarray(0, MAX_EXCERPT_BYTES).toString('utf8').toWellFormed()
  const printable = text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\uFFFD]+/gu, ' ').trim()
  return printable === '' ? null : printable
}
