import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, ConnectionError, describeNetworkError } from '@gateway/sdk'
import type { ListenOptions } from '@gateway/certify/certify'
import { fieldsOf } from '@gateway/certify/json'
import type { Copy } from '@gateway/certify/wire/inbox'
import { EXIT, exitCodeOf, messageOf } from '../exit.ts'

/** The gateway sends a heartbeat every 15 s. */
const SILENCE_MS = 45_000
const CONNECT_TIMEOUT_MS = 15_000
const LONGEST_PAUSE_MS = 5000
const REMEMBERED_IDS = 10_000

/**
 * Follows the stream, and connects again with the id of the last event, until the gateway refuses, the first connection fails, or the
 * signal is aborted.
 */
export async function listen(options: ListenOptions): Promise<void> {
  const seen = new Set<string>()
  let position: string | undefined
  let failures = 0
  let wasReady = false
  for (;;) {
    try {
      for await (const { event, id, data } of connection(options, position)) {
        position = id ?? position
        failures = 0
        if (event === 'ready') {
          if (wasReady) options.note('connected again')
          else if (!options.onReady(readReady(data))) return
          wasReady = true
        } else if (event === 'webhook') await onceOnly(readCopy(data), seen, options)
      }
    } catch (error) {
      if (options.signal?.aborted === true) return
      if (!wasReady || !isPassing(error)) throw error
      options.note(`${messageOf(error)}; connecting again`)
    }
    failures += 1
    const pauseMs = Math.min(LONGEST_PAUSE_MS, 250 * 2 ** failures) * (0.5 + Math.random() / 2)
    // Rejects only when the signal is aborted.
    await sleep(pauseMs, undefined, options.signal && { signal: options.signal }).catch(() => undefined)
    if (options.signal?.aborted === true) return
  }
}

/** A later connection may meet a gateway that restarts, or its own session that has not ended there yet. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError && error.status === 429) return true
  return exitCodeOf(error) === EXIT.unavailable
}

/** A gateway that restarts may repeat a copy; one process forwards it once. */
async function onceOnly(copy: Copy, seen: Set<string>, { onCopy }: ListenOptions): Promise<void> {
  const id = copy.headers['webhook-id'] ?? ''
  if (seen.has(id)) return
  seen.add(id)
  const [oldest] = seen
  if (seen.size > REMEMBERED_IDS && oldest !== undefined) seen.delete(oldest)
  await onCopy(copy)
}

async function* connection({ gateway, baseUrl, since, signal }: ListenOptions, position: string | undefined) {
  const url = new URL(`${baseUrl.replace(/\/+$/u, '')}/api/v1/webhooks/listen`)
  if (since && position === undefined) url.searchParams.set('since', since.toISOString())
  const ending = new AbortController()
  let silence = setTimeout(() => ending.abort(), CONNECT_TIMEOUT_MS)
  const stillAlive = () => {
    clearTimeout(silence)
    silence = setTimeout(() => ending.abort(), SILENCE_MS)
  }
  try {
    const headers = { authorization: `Bearer ${await gateway.token()}`, accept: 'text/event-stream' }
    const resume = position === undefined ? {} : { 'last-event-id': position }
    const ended = AbortSignal.any([ending.signal, ...(signal ? [signal] : [])])
    const response = await fetch(url, { headers: { ...headers, ...resume }, signal: ended, redirect: 'manual' })
    const body: ReadableStream<Uint8Array> | null = response.body
    if (response.status !== 200 || !body) throw await refusal(response)
    yield* readEvents(body, stillAlive)
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    const why = ending.signal.aborted ? 'it has sent nothing for too long' : describeNetworkError(cause)
    throw new ConnectionError(`The gateway at ${url.origin} could not be reached: ${why}`, { outcomeUnknown: false, cause })
  } finally {
    clearTimeout(silence)
    ending.abort()
  }
}

async function refusal(response: Response): Promise<ApiError> {
  const { code, detail, request_id: requestId } = fieldsOf(await response.text().catch(() => ''))
  return new ApiError(typeof detail === 'string' ? detail : `The answer has status ${response.status}; check the address`, {
    code: typeof code === 'string' ? code : 'unexpected_answer',
    status: response.status,
    ...(typeof requestId === 'string' ? { requestId } : {}),
  })
}

function readReady(data: string): string {
  const { signing_secret: secret } = fieldsOf(data)
  if (typeof secret !== 'string') throw new Error('the stream began without a secret')
  return secret
}

function readCopy(data: string): Copy {
  const { headers, body } = fieldsOf(data)
  if (typeof headers !== 'object' || headers === null || typeof body !== 'string') throw new Error('a copy has no body')
  return { headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)])), body }
}

/** One event of a stream of server-sent events (HTML standard, section 9.2). */
export interface StreamEvent {
  readonly event: string
  /** `undefined` when the event has none. */
  readonly id: string | undefined
  readonly data: string
}

/** Far above any event of the gateway, whose bodies are a few kilobytes. */
const MAX_EVENT_LENGTH = 1024 * 1024

/**
 * Reads the events of a stream.
 *
 * @param onBytes called whenever anything arrives, comments included
 * @throws when a single event is too long
 */
export async function* readEvents(stream: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    onBytes()
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parseEvent(block)
      if (event) yield event
    }
    if (text.length > MAX_EVENT_LENGTH) throw new Error('an event of the stream is too long')
  }
}

/** `undefined` for a comment. */
function parseEvent(block: string): StreamEvent | undefined {
  let [event, id]: [string, string | undefined] = ['message', undefined]
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(\w+): ?(.*)$/su.exec(line) ?? []
    if (field === 'event') event = value
    else if (field === 'id') id = value
    else if (field === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { event, id, data: data.join('\n') }
}
