import { subscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import { formatAddress } from './attempt-error.ts'

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
