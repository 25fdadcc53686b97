import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { Refused, Unavailable } from '@gateway/contracts'
import { REQUEST_ID_HEADER } from '@gateway/service-kit'
import type { Upstream, UpstreamRequest } from '../upstream/upstream.ts'
import { isProblem, setApiResponseHeaders, setPageResponseHeaders } from './headers.ts'

type Answer = Awaited<ReturnType<Upstream['request']>>

/** Asks the service and passes its answer on. A server's error that is no problem of ours becomes one. */
export async function forwardApi(
  upstream: Upstream,
  request: Omit<UpstreamRequest, 'signal'>,
  response: Response,
): Promise<void> {
  await exchange(upstream, request, response, async (answer) => {
    if (answer.statusCode >= 500 && !isProblem(answer.headers)) {
      await answer.body.dump()
      throw new Unavailable('upstream_failed', 'The service failed; try again')
    }
    response.statusCode = answer.statusCode
    setApiResponseHeaders(response, answer.headers)
    await pipeline(answer.body, response)
  })
}

/** Passes a page, a file or an event stream on as it comes: the headers go out before the first byte is there. */
export async function forwardPage(
  upstream: Upstream,
  request: Omit<UpstreamRequest, 'signal'>,
  response: Response,
): Promise<void> {
  await exchange(upstream, request, response, async (answer) => {
    response.statusCode = answer.statusCode
    setPageResponseHeaders(response, answer.headers)
    response.flushHeaders()
    await pipeline(answer.body, response)
  })
}

/** The id that every answer carries and every service is told. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader(REQUEST_ID_HEADER))
}

/** The address as it was asked for, query included. Throws `malformed_request` for one that names a host: we are no proxy. */
export function pathOf(request: Request): string {
  if (!request.originalUrl.startsWith('/')) throw new Refused('malformed_request', 'The address must begin with /')
  return request.originalUrl
}

/** When the caller goes away, so does our request: an event stream would otherwise be read for nobody. */
async function exchange(
  upstream: Upstream,
  request: Omit<UpstreamRequest, 'signal'>,
  response: Response,
  pass: (answer: Answer) => Promise<void>,
): Promise<void> {
  const controller = new AbortController()
  const abort = () => {
    if (!response.writableFinished) controller.abort()
  }
  response.once('close', abort)
  try {
    await pass(await upstream.request({ ...request, signal: controller.signal }))
  } catch (error) {
    if (!controller.signal.aborted) throw error
  } finally {
    response.off('close', abort)
  }
}
