import { subscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'

/** Gets the remote address, such as `203.0.113.7:443` or `[2001:db8::1]:443`. */
type Tell = (address: string) => void

/** Keyed by the request body: one buffer belongs to one attempt. */
const waiting = new WeakMap<object, Tell>()

// undici publishes this just before it writes a request to its connection. No other event of it names the socket.
subscribe('undici:client:sendHeaders', (message) => {
  if (typeof message !== 'object' || message === null || !('request' in message && 'socket' in message)) return
  const { request, socket } = message
  if (typeof request !== 'object' || request === null || !('body' in request) || !(socket instanceof Socket)) return
  const { body } = request
  const tell = typeof body === 'object' && body !== null ? waiting.get(body) : undefined
  if (tell && socket.remoteAddress !== undefined) tell(formatAddress(socket.remoteAddress, socket.remotePort))
})

/** Calls `tell` with the address that the request with this body is sent to, each time it is sent. */
export function onAddressUsed(body: Buffer, tell: Tell): void {
  waiting.set(body, tell)
}

/** The address of a failed connection, read from its error; `null` when the error names none. */
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
