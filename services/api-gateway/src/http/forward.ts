import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import { REQUEST_ID_HEADER } from '@gateway/service-kit'
import { toAppError, type Upstream, type UpstreamRequest } from '../clients/upstream-pool.ts'
import { foreignFailure, setApiResponseHeaders, setPageResponseHeaders } from './headers.ts'

type Answer = Awaited<ReturnType<Upstream['request']>>

/** Longer answers, and those whose length is not known, are streamed at the pace of the client. */
const MAX_WHOLE_BYTES = 1024 * 1024

interface Forwarding {
  readonly upstream: Upstream
  readonly request: Omit<UpstreamRequest, 'signal'>
  readonly response: Response
  /** A page, a file or an event stream of checkout. Otherwise a 5xx that is not a problem document becomes `upstream_failed`. */
  readonly isPage?: boolean
}

/**
 * Sends a request to a service and the answer back. `onAnswer` is called with the status before the answer is sent on; what it returns
 * is called at the end. Aborts the upstream request when the client disconnects: an event stream would be read without a reader.
 */
export async function forward(
  { upstream, request, response, isPage = false }: Forwarding,
  onAnswer: (status: number) => (() => void) | undefined,
): Promise<void> {
  const controller = new AbortController()
  const abort = () => {
    if (!response.writableFinished) controller.abort()
  }
  response.once('close', abort)
  // The client may have gone while the request waited.
  if (response.closed) abort()
  let done: (() => void) | undefined
  try {
    const answer = await upstream.request({ ...request, signal: controller.signal })
    done = onAnswer(answer.statusCode)
    if (!isPage) await refuseFailure(answer)
    await sendOn(answer, response, isPage ? setPageResponseHeaders : setApiResponseHeaders)
  } catch (error) {
    if (!controller.signal.aborted) throw error
  } finally {
    done?.()
    response.off('close', abort)
  }
}

async function refuseFailure(answer: Answer): Promise<void> {
  const failure = foreignFailure(answer)
  if (!failure) return
  await answer.body.dump()
  throw failure
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
