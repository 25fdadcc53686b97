import { subscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'

/** Told of the connection's other end, such as `203.0.113.7:443` or `[2001:db8::1]:443`. */
type Tell = (address: string) => void

/** By the bytes that are sent: one buffer belongs to one attempt. */
const waiting = new WeakMap<object, Tell>()

// undici publishes this just before it writes a request to its connection; nothing else of it names the socket.
subscribe('undici:client:sendHeaders', (message) => {
  if (typeof message !== 'object' || message === null || !('request' in message && 'socket' in message)) return
  const { request, socket } = message
  if (typeof request !== 'object' || request === null || !('body' in request) || !(socket instanceof Socket)) return
  const { body } = request
  const tell = typeof body === 'object' && body !== null ? waiting.get(body) : undefined
  if (tell && socket.remoteAddress !== undefined) tell(formatAddress(socket.remoteAddress, socket.remotePort))
})

/** Calls `tell` with the address that the request with this very body is sent to; again should it be sent again. */
export function onAddressUsed(body: Buffer, tell: Tell): void {
  waiting.set(body, tell)
}

/** The address a failed connection was for, as its error says; `null` when it says none. */
export function failedAddressOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  if ('address' in error && typeof error.address === 'string') {
    return formatAddress(error.address, 'port' in error && typeof error.port === 'number' ? error.port : undefined)
  }
  const errors: unknown = 'errors' in error ? error.errors : undefined
  const inner: unknown = Array.isArray(errors) ? errors[0] : 'cause' in error ? error.cause : undefined
  return failedAddressOf(inner)
}

function formatAddress(address: string, port: number | undefined): string {
  const host = address.includes(':') ? `[${address}]` : address
  return port === undefined ? host : `${host}:${port}`
}
