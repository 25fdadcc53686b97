import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import { REQUEST_ID_HEADER } from '@gateway/service-kit'
import { toAppError, type Upstream, type UpstreamRequest } from '../clients/upstream-pool.ts'
import { foreignFailure, setApiResponseHeaders, setPageResponseHeaders } from './headers.ts'

type Answer = Awaited<ReturnType<Upstream['request']>>

/** Called with the status of the answer, before the answer is sent on. */
type OnStatus = (status: number) => void

/** Longer answers, and those whose length is not known, are streamed at the pace of the client. */
const MAX_WHOLE_BYTES = 1024 * 1024

/** Sends a request to a service and the answer back. A 5xx that is not a problem document becomes `upstream_failed`. */
export async function forwardApi(
  upstream: Upstream,
  request: Omit<UpstreamRequest, 'signal'>,
  response: Response,
  onStatus: OnStatus = () => undefined,
): Promise<void> {
  await exchange(upstream, request, response, async (answer) => {
    onStatus(answer.statusCode)
    await refuseFailure(answer)
    await sendOn(answer, response, setApiResponseHeaders)
  })
}

/**
 * Like `forwardApi` for an answer without end: the headers are sent before the first byte of the body, and pauses do not end it.
 * `endOn` is called with a function that ends the stream; it returns the function that is called at the end.
 */
export async function forwardStream(
  upstream: Upstream,
  request: Omit<UpstreamRequest, 'signal'>,
  response: Response,
  endOn: (end: () => void) => () => void,
): Promise<void> {
  await exchange(upstream, { ...request, bodyTimeoutMs: 0 }, response, async (answer) => {
    await refuseFailure(answer)
    const done = endOn(() => response.destroy())
    try {
      await sendOn(answer, response, setApiResponseHeaders)
    } finally {
      done()
    }
  })
}

async function refuseFailure(answer: Answer): Promise<void> {
  const failure = foreignFailure(answer)
  if (!failure) return
  await answer.body.dump()
  throw failure
}

/** Sends on a page, a file or an event stream. */
export async function forwardPage(
  upstream: Upstream,
  request: Omit<UpstreamRequest, 'signal'>,
  response: Response,
  onStatus: OnStatus,
): Promise<void> {
  await exchange(upstream, request, response, async (answer) => {
    onStatus(answer.statusCode)
    await sendOn(answer, response, setPageResponseHeaders)
  })
}

/**
 * Reads an answer of at most `MAX_WHOLE_BYTES` whole, so that a slow client keeps no connection of the upstream. The
 * headers of a stream are sent before the first byte of its body.
 */
async function sendOn(answer: Answer, response: Response, setHeaders: typeof setApiResponseHeaders): Promise<void> {
  const isShort = Number(answer.headers['content-length']) <= MAX_WHOLE_BYTES
  const body = isShort ? await wholeBody(answer) : undefined
  response.statusCode = answer.statusCode
  setHeaders(response, answer.headers)
  if (body) return void response.end(body)
  response.flushHeaders()
  await pipeline(answer.body, response)
}

async function wholeBody({ body }: Answer): Promise<Uint8Array> {
  try {
    return await body.bytes()
  } catch (error) {
    throw toAppError(error)
  }
}

/** The request id that the answer carries and that the service receives. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader(REQUEST_ID_HEADER))
}

/** Aborts the upstream request when the client disconnects; otherwise an event stream would be read without a reader. */
async function exchange(
  upstream: Upstream,
  request: Omit<UpstreamRequest, 'signal'>,
  response: Response,
  deliver: (answer: Answer) => Promise<void>,
): Promise<void> {
  const controller = new AbortController()
  const abort = () => {
    if (!response.writableFinished) controller.abort()
  }
  response.once('close', abort)
  // The client may have gone while the request waited.
  if (response.closed) abort()
  try {
    await deliver(await upstream.request({ ...request, signal: controller.signal }))
  } catch (error) {
    if (!controller.signal.aborted) throw error
  } finally {
    response.off('close', abort)
  }
}
