/** A faulty network connector over real HTTP: every way to give no clear answer. */
import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

export interface BrokenConnector {
  readonly url: string
  /** Paths of all requests so far. */
  readonly asked: readonly string[]
  answer(how: (response: ServerResponse) => void): void
  stop(): Promise<void>
}

export async function startBrokenConnector(): Promise<BrokenConnector> {
  let how: (response: ServerResponse) => void = (response) => response.end()
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    request.resume().once('end', () => how(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening server has an address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    answer: (next) => {
      how = next
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const DRIP_EVERY_MS = 20
const json = { 'content-type': 'application/json' }

/** Sends one byte every 20 ms until the connection is closed. */
function drip(response: ServerResponse, write: () => void): void {
  const timer = setInterval(write, DRIP_EVERY_MS)
  response.once('close', () => clearInterval(timer))
}

/** Each must count as no clear answer, although `right` is a correct body. */
export const BROKEN_ANSWERS: Readonly<Record<string, (response: ServerResponse, right: string) => void>> = {
  'no answer at all': () => undefined,
  'headers without a body': (response) => response.writeHead(200, json).flushHeaders(),
  'an endless body, byte by byte': (response) => {
    response.writeHead(200, json)
    drip(response, () => response.write(' '))
  },
  'endless headers, byte by byte': (response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\nx: ')
    drip(response, () => response.socket?.write('x'))
  },
  'an endless body': (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.writeHead(200, json).on('drain', more)
    more()
  },
  'two megabytes': (response, right) => response.writeHead(200, json).end(right.padEnd(2 * 1024 * 1024)),
  'twenty megabytes in a small gzip': (response, right) =>
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(right.padEnd(20 * 1024 * 1024))),
  'half of the body': (response, right) => {
    response.writeHead(200, { ...json, 'content-length': right.length })
    response.write(right.slice(0, -5), () => response.destroy())
  },
  'a reset': (response) => response.socket?.resetAndDestroy(),
  '500': (response, right) => response.writeHead(500, json).end(right),
  '503': (response, right) => response.writeHead(503, { ...json, 'retry-after': '1' }).end(right),
  '404': (response, right) => response.writeHead(404, json).end(right),
  '201 instead of 200': (response, right) => response.writeHead(201, json).end(right),
  '204': (response) => response.writeHead(204).end(),
  HTML: (response) => response.writeHead(200, json).end('<html>maintenance</html>'),
  'another JSON type': (response) => response.writeHead(200, json).end('[]'),
  null: (response) => response.writeHead(200, json).end('null'),
  'an empty body': (response) => response.writeHead(200, json).end(),
}
