import type { Response } from 'express'

/** Headers of the answers that the page's script reads. */
export const LIVE_HEADERS = {
  'cache-control': 'no-store, no-transform',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

const HEARTBEAT_MS = 15_000
/** Maximum life of a connection; the browser then reconnects by itself. */
const MAX_LIFETIME_MS = 15 * 60_000
const RECONNECT_AFTER_MS = 2000
/** A browser that does not read is disconnected. */
const MAX_UNREAD_BYTES = 256 * 1024

/** Starts a stream of Server-Sent Events to one browser. `onClose` is called once, whether the browser or the server ends it. */
export function openEventStream(response: Response, onClose: () => void) {
  response.status(200).set({ ...LIVE_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' })
  const write = (text: string): void => {
    if (response.writableEnded || response.destroyed) return
    response.write(text)
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy()
  }
  const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS)
  const lifetime = setTimeout(() => response.end(), MAX_LIFETIME_MS)
  response.once('close', () => {
    clearInterval(heartbeat)
    clearTimeout(lifetime)
    onClose()
  })
  write(`retry: ${RECONNECT_AFTER_MS}\n\n`)
  return {
    // JSON.stringify emits no line breaks, so an event is one line of data.
    send: (event: string, data: object): void => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    end: (): void => void response.end(),
  }
}
