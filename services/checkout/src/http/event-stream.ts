import type { Response } from 'express'
import { LIVE_HEADERS } from './page-headers.ts'

/** One browser's live view (Server-Sent Events). */
export interface EventStream {
  send(event: string, data: object): void
  end(): void
}

const HEARTBEAT_MS = 15_000
/** A browser comes back by itself after this, so that no connection lives for ever. */
const LONGEST_MS = 15 * 60_000
const RECONNECT_AFTER_MS = 2000
/** A browser that does not read is let go. */
const MAX_UNREAD_BYTES = 256 * 1024

/** Begins the stream at once; `onClose` is called once, whoever ends it. */
export function openEventStream(response: Response, onClose: () => void): EventStream {
  response.status(200).set({ ...LIVE_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' })
  const write = (text: string): void => {
    if (response.writableEnded || response.destroyed) return
    response.write(text)
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy()
  }
  const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS)
  const lifetime = setTimeout(() => response.end(), LONGEST_MS)
  response.once('close', () => {
    clearInterval(heartbeat)
    clearTimeout(lifetime)
    onClose()
  })
  write(`retry: ${RECONNECT_AFTER_MS}\n\n`)
  return {
    // JSON has no line breaks of its own, so an event is one line of data.
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    end: () => void response.end(),
  }
}
