import { CliError } from '../exit.ts'
import { exchange } from '@gateway/certify/exchange'
import type { Copy } from '@gateway/certify/wire/inbox'

/** How the receiver answered. */
export interface Forwarded {
  /** `null` when it did not answer; then `error` says why. */
  readonly status_code: number | null
  readonly duration_ms: number
  readonly error: string | null
}

/** The receiver of the copies. */
export interface Target {
  readonly url: URL
  readonly anyCertificate: boolean
}

/** As long as the gateway waits for a real webhook. */
const TIMEOUT_MS = 10_000

/**
 * Reads the address of a receiver from a flag. The scheme is http by default, and a port alone is a port of this machine. `0.0.0.0`,
 * which servers print when they listen on every address, is this machine. Another machine must be allowed.
 */
export function receiverAddress(flag: string, text: string, allowRemote: boolean): URL {
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//iu.exec(text) ?? []
  if (scheme !== undefined && !/^https?:/iu.test(scheme)) throw new CliError(`${flag} takes http and https only: ${text}`)
  const address = scheme === undefined ? `http://${text.replace(/^:?(?=\d{1,5}(?:$|[/?]))/u, 'localhost:')}` : text
  if (!URL.canParse(address)) throw new CliError(`${flag} is not an address: ${text}`)
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') throw new CliError(`${flag} takes no user name`)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  if (!allowRemote && !isLoopback(url.hostname))
    throw new CliError(`${url.hostname} is another machine: use localhost, or allow it with --allow-remote`)
  return url
}

export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3}|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/u.test(hostname)
}

/** Sends the same bytes with the same headers; follows no redirect. */
export async function forward({ headers, body }: Copy, { url, anyCertificate }: Target): Promise<Forwarded> {
  const { status, durationMs, error } = await exchange(url, { method: 'POST', headers, body, anyCertificate }, TIMEOUT_MS)
  const hint = error?.includes('certificate') === true ? '; --allow-self-signed accepts any certificate' : ''
  return { status_code: status, duration_ms: durationMs, error: error === null ? null : `${error}${hint}` }
}
