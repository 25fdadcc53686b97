import type { RequestHandler } from 'express'

/** Serves a text that is the same for every client. All answers share its bytes, so clients that do not read hold no copies. */
export function staticDocument(type: string, text: string, headers: Readonly<Record<string, string>> = {}): RequestHandler {
  const bytes = Buffer.from(text)
  return (_request, response) => {
    response
      .set({ 'cache-control': 'public, max-age=300', ...headers })
      .type(type)
      .send(bytes)
  }
}
