import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Router, type Request, type RequestHandler, type Response } from 'express'
import { observeRequest, type Observer } from './observe-request.ts'
import { parseJson, readJson, readBody, readBytes } from './read-request.ts'
import { problemAnswer } from './problem.ts'

/** A `POST` route of the payment path with a JSON body, which is answered without Express (docs/adr/0009). */
export type HotRoute = JsonHotRoute | BytesHotRoute

interface JsonHotRoute {
  readonly path: string
  readonly reads?: 'json'
  /** The body is parsed JSON, not yet validated. */
  handle(call: HotCall<unknown>): Promise<HotAnswer>
}

/** Gets the raw bytes, over which a signature is computed. */
interface BytesHotRoute {
  readonly path: string
  readonly reads: 'bytes'
  handle(call: HotCall<Buffer>): Promise<HotAnswer>
}

export interface HotCall<T> {
  /** Looks a header up by its lower-case name. */
  readonly get: (name: string) => string | undefined
  readonly body: T
}

export interface HotAnswer {
  readonly status: number
  readonly body: object
}

const PLAIN_JSON = /^application\/json(?:; ?charset=utf-8)?$/iu

/** True for an ordinary request with a JSON body of known length. Express handles every other request. */
export function hasPlainJson({ headers }: IncomingMessage, limitBytes: number): boolean {
  const bytes = Number(headers['content-length'])
  return (
    bytes > 0 &&
    bytes <= limitBytes &&
    headers['content-encoding'] === undefined &&
    headers.expect === undefined &&
    PLAIN_JSON.test(headers['content-type'] ?? '')
  )
}

/** The same handlers as Express routes. */
export function expressRoutes(routes: readonly HotRoute[]): Router {
  const router = Router({ caseSensitive: true, strict: true })
  for (const route of routes) {
    const read = route.reads === 'bytes' ? keepBytes : readJson
    router.post(route.path, read, async (request: Request, response: Response) => {
      const get = (name: string): string | undefined => request.get(name)
      const body: unknown = request.body
      const answer = await (route.reads === 'bytes'
        ? route.handle({ get, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) })
        : route.handle({ get, body }))
      response.status(answer.status).json(answer.body)
    })
  }
  return router
}

const keepBytes: RequestHandler = async (request, _response, next) => {
  request.body = await readBody(request)
  next()
}

/** Answers ordinary calls of hot routes without Express. All other requests go to `app`, which has the same routes. */
export function withHotRoutes(
  app: RequestListener,
  routes: readonly HotRoute[],
  { limitBytes, ...observer }: Observer & { readonly limitBytes: number },
): RequestListener {
  const byPath = new Map(routes.map((route) => [route.path, route]))
  return (request, response) => {
    const route = request.method === 'POST' ? byPath.get(request.url ?? '') : undefined
    if (!route || !hasPlainJson(request, limitBytes)) {
      app(request, response)
      return
    }
    observeRequest(observer, { request, response, routeOf: () => route.path }, (requestId) => {
      void answerHot(route, request, response, (error) => problemAnswer(error, requestId, observer.log))
    })
  }
}

async function answerHot(
  route: HotRoute,
  request: IncomingMessage,
  response: ServerResponse,
  toAnswer: (error: unknown) => ReturnType<typeof problemAnswer>,
): Promise<void> {
  try {
    const bytes = await readBytes(request)
    const get = (name: string): string | undefined => {
      const value = request.headers[name]
      return typeof value === 'string' ? value : undefined
    }
    const answer = await (route.reads === 'bytes'
      ? route.handle({ get, body: bytes })
      : route.handle({ get, body: parseJson(bytes) }))
    sendText(response, answer.status, JSON_TYPE, JSON.stringify(answer.body))
  } catch (error) {
    const { status, headers, text } = toAnswer(error)
    sendText(response, status, headers, text)
  }
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

/** Sends a whole answer in one write. */
export function sendText(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}
