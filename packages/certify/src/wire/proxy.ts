import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fieldsOf } from '../json.ts'
import { createCalls, type Calls } from './calls.ts'
import { createFaults, rewriteCreate, type Fault, type Faults, type Operation, type OrderChanges } from './faults.ts'
import { passOn, problemOf, type Passed } from './pass-on.ts'

/** Stands between the merchant's test instance and the gateway: passes calls on, records them, and makes some fail. */
export type Proxy = Awaited<ReturnType<typeof startProxy>>

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '/api/v1/orders/create': 'create',
  '/api/v1/order/search': 'search',
}
const MAX_BODY_BYTES = 1024 * 1024

/** Port 0 is any free port. Throws when the port is taken. */
export async function startProxy(gatewayUrl: string, host: string, port: number) {
  const calls = createCalls()
  const faults = createFaults()
  let changes: OrderChanges = {}
  const stopping = new AbortController()
  const server = createServer((request, response) => {
    handle(request, response, { gatewayUrl, faults, calls, changes, signal: stopping.signal }).catch(() => response.destroy())
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${typeof address === 'object' ? (address?.port ?? port) : port}`,
    faults,
    calls,
    /** Applies these changes to every order that is created from now on. */
    changeOrders: (wanted: OrderChanges): void => void (changes = wanted),
    async stop(): Promise<void> {
      stopping.abort()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

interface Handling {
  readonly gatewayUrl: string
  readonly faults: Faults
  readonly calls: Calls
  readonly changes: OrderChanges
  /** Aborted when the proxy stops. */
  readonly signal: AbortSignal
}

async function handle(request: IncomingMessage, response: ServerResponse, handling: Handling): Promise<void> {
  const body = await readBody(request)
  if (!body) {
    response.writeHead(413).end()
    return
  }
  const operation = request.method === 'POST' ? OPERATIONS[request.url ?? ''] : undefined
  if (operation) await handleCall(operation, { request, response, body: body.toString('utf8') }, handling)
  else answer(response, await passOn(handling, request, body))
}

interface Incoming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: string
}

async function handleCall(operation: Operation, { request, response, body }: Incoming, handling: Handling): Promise<void> {
  const startedAtMs = Date.now()
  const { order_id: orderId = '' } = fieldsOf(body)
  const fault = handling.faults.next(operation, String(orderId))
  const sent = operation === 'create' ? rewriteCreate(body, handling.changes) : body
  const passed = await answerTo(fault, () => passOn(handling, request, Buffer.from(sent)))
  if (fault.kind === 'pass' && fault.holdMs !== undefined) await sleep(fault.holdMs, undefined, { signal: handling.signal })
  const notes = [describe(fault), ...(sent === body ? [] : [`changed by certify: ${Object.keys(handling.changes).join(', ')}`])]
  const record = {
    operation,
    orderId: String(orderId),
    startedAtMs,
    endedAtMs: Date.now(),
    status: fault.kind === 'drop_answer' ? null : passed.status,
    code: codeIn(passed),
    retryAfterSeconds: fault.kind === 'refuse' ? (fault.retryAfterSeconds ?? null) : null,
    requestBody: sent,
    responseBody: passed.body.toString('utf8'),
    note: notes.filter(Boolean).join(', '),
  }
  // Record the call before the answer: a check that sees the effect must find the call that caused it.
  handling.calls.add(record, request.headers.authorization ?? '')
  if (fault.kind === 'drop_answer') response.destroy()
  else answer(response, passed)
}

async function answerTo(fault: Fault, pass: () => Promise<Passed>): Promise<Passed> {
  if (fault.kind !== 'refuse') return pass()
  const { status, code, retryAfterSeconds } = fault
  const problem = problemOf(status, code, 'Injected by pgw certify')
  const retryAfter: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  return { ...problem, headers: { ...problem.headers, ...retryAfter } }
}

function describe(fault: Fault): string {
  if (fault.kind === 'refuse') return 'refused by certify'
  if (fault.kind === 'drop_answer') return 'answer dropped by certify'
  return fault.holdMs === undefined ? '' : `answer delayed for ${fault.holdMs} ms by certify`
}

function answer(response: ServerResponse, { status, headers, body }: Passed): void {
  response.writeHead(status, headers).end(body)
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined
}

function codeIn({ status, body }: Passed): string | null {
  const { code } = fieldsOf(body.toString('utf8'))
  return status >= 400 && typeof code === 'string' ? code : null
}
