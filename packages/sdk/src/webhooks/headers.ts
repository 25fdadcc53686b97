import { GatewayError } from '../errors.ts'

type HeaderValue = string | number | readonly string[] | null | undefined

/**
 * The headers of a request in any usual form: a `Headers` of any library, `request.headers` of Node and its frameworks, a
 * request with a `get` of its own, a `Map`, or a list of names with values.
 */
export type WebhookHeaders =
  | { get(name: string): HeaderValue }
  | Iterable<readonly [string, HeaderValue]>
  | Iterable<string>
  | Readonly<Record<string, HeaderValue>>

/** The value of a header by its lower-case name; `undefined` when it is missing or came several times. */
export type HeaderReader = (name: string) => string | undefined

/** Reads the headers once, because an iterator can be read only once. Throws a `GatewayError` that names what came instead of headers. */
export function readHeaders(headers: unknown): HeaderReader {
  if (typeof headers !== 'object' || headers === null) throw notHeaders(headers)
  const pairs = Symbol.iterator in headers ? pairsOf(headers) : undefined
  if (pairs) return among(pairs)
  // An empty text is what some frameworks return for a missing header.
  if (hasGet(headers)) return (name) => valueOf(name, [headers.get(name) || undefined])
  const entries = Object.entries(headers)
  if (Symbol.iterator in headers || isRequest(headers) || (entries.length === 0 && !isPlain(headers))) throw notHeaders(headers)
  return among(entries)
}

function among(pairs: readonly (readonly [string, unknown])[]): HeaderReader {
  return (name) =>
    valueOf(
      name,
      pairs.flatMap(([key, value]) => (key.toLowerCase() === name ? value : [])),
    )
}

function valueOf(name: string, found: readonly unknown[]): string | undefined {
  const values = found.flat().filter((value) => value !== undefined && value !== null)
  const [value] = values
  if (values.length !== 1) return undefined
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new GatewayError(`The header ${name} must be text, but ${nameOf(value)} came`)
}

function hasGet(value: object): value is { get(name: string): unknown } {
  return 'get' in value && typeof value.get === 'function'
}

/** `[name, value]` pairs, or names and values by turns as in `rawHeaders`; `undefined` for anything else. */
function pairsOf(headers: object): (readonly [string, unknown])[] | undefined {
  const items: unknown[] = [...(headers as Iterable<unknown>)]
  if (items.every(isPair)) return items
  if (items.length % 2 !== 0 || !items.every((item) => typeof item === 'string')) return undefined
  return items.flatMap((item, index) => (index % 2 === 0 ? [[item, items[index + 1]] as const] : []))
}

function isPair(item: unknown): item is readonly [string, unknown] {
  return Array.isArray(item) && item.length === 2 && typeof item[0] === 'string'
}

function isRequest(value: object): boolean {
  return 'headers' in value && typeof value.headers === 'object'
}

/** Also true for an object of another realm, such as a test runner's. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function notHeaders(value: unknown): GatewayError {
  const hint = typeof value === 'object' && value !== null ? hintFor(value) : ''
  return new GatewayError(`The webhook's headers must be those of the request, but ${nameOf(value)} came${hint}`)
}

function hintFor(value: object): string {
  if ('then' in value) return ': await it first'
  return isRequest(value) ? ': pass its headers' : ''
}

/** The kind of a value, never the value: it may be secret. */
function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value === null ? value : typeof value)
  const { name } = value.constructor as { readonly name?: string }
  return Array.isArray(value) ? 'an array of something else' : `an object (${name ?? 'without a class'})`
}
