import { CliError } from '../exit.ts'
import type { Copy } from './session.ts'

/** How the receiver answered. */
export interface Forwarded {
  /** `null` when it did not answer; then `error` says why. */
  readonly status_code: number | null
  readonly duration_ms: number
  readonly error: string | null
}

/** As long as the gateway waits for a real webhook. */
const TIMEOUT_MS = 10_000

/** The address of a receiver, given with a flag: loopback, unless another machine is allowed. A missing scheme is http. */
export function receiverAddress(flag: string, text: string, allowRemote: boolean): URL {
  const address = /^https?:\/\//u.test(text) ? text : `http://${text}`
  if (!URL.canParse(address)) throw new CliError(`${flag} is not an address: ${text}`)
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') throw new CliError(`${flag} takes no user name`)
  if (!allowRemote && !isLoopback(url.hostname))
    throw new CliError(`${url.hostname} is another machine: use localhost, or allow it with --allow-remote`)
  return url
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || /^127(?:\.\d{1,3}){3}$/u.test(hostname)
}

/** Sends the same bytes with the same headers; follows no redirect. */
export async function forward({ headers, body }: Copy, to: URL): Promise<Forwarded> {
  const startedMs = performance.now()
  const took = () => Math.round(performance.now() - startedMs)
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.arrayBuffer()
    return { status_code: response.status, duration_ms: took(), error: null }
  } catch (error) {
    return { status_code: null, duration_ms: took(), error: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message
}
