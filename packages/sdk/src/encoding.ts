/** Base64, UTF-8 and streams without Node's `Buffer`, which edge runtimes do not have. */

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Also reads the URL-safe alphabet. `undefined` when the text is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** The whole body of a request or an answer; `undefined` when it is too long, and the rest is not read. */
export async function readBody({ body }: Request | Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const stream: ReadableStream<Uint8Array> | null = body
  if (!stream) return new Uint8Array()
  // A reader and not `for await`: Bun's and the browsers' streams are not all iterable.
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return concat(...chunks)
    bytes += value.length
    if (bytes > maxBytes) {
      // Not awaited: the sender may hold the stream, and the caller must not wait for it.
      reader.cancel().catch(() => undefined)
      return undefined
    }
    chunks.push(value)
  }
}
