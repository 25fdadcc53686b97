import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkReport, SIGNATURE_HEADERS, verifySignature, type NetworkReport, type SigningKey } from '@gateway/contracts'

/** A callback as it came; `report` is `undefined` when it is none of the contract. */
export interface Callback {
  readonly messageId: string
  readonly authentic: boolean
  readonly report: NetworkReport | undefined
}

/** Stands where the gateway takes callbacks: 200 for what is authentic, 401 for what is not. */
export interface CallbackReceiver {
  readonly url: string
  readonly received: readonly Callback[]
  /** Answers 503 to the first callback about this attempt. */
  refuseOnce(attemptId: string): void
  stop(): Promise<void>
}

const MAX_BODY_BYTES = 64 * 1024

export async function startCallbackReceiver(at: { host: string; port: number; key: SigningKey }): Promise<CallbackReceiver> {
  const received: Callback[] = []
  const refused = new Set<string>()
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => {
        const callback = readCallback(request, body, at.key)
        received.push(callback)
        const refuse = refused.delete(callback.report?.attempt_id ?? '')
        response.writeHead(refuse ? 503 : callback.authentic ? 200 : 401).end()
      })
      .catch(() => request.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(at.port, at.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${at.host}:${port}/network/v1/callbacks`,
    received,
    refuseOnce: (attemptId) => refused.add(attemptId),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    const part = Buffer.from(chunk as Uint8Array)
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) throw new Error('a callback is larger than any report')
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}

function readCallback({ headers }: IncomingMessage, body: Buffer, key: SigningKey): Callback {
  const header = (name: string): string => String(headers[name] ?? '')
  const id = header(SIGNATURE_HEADERS.id)
  const message = { id, timestamp: header(SIGNATURE_HEADERS.timestamp), signature: header(SIGNATURE_HEADERS.signature), body }
  const report = parse(body)
  return {
    messageId: id,
    authentic: id !== '' && verifySignature(message, [key], new Date()),
    report: networkReport(report) ? report : undefined,
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
