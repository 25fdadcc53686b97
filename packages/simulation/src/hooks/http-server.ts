import { EventEmitter } from 'node:events'
import { IncomingMessage, ServerResponse, type RequestListener } from 'node:http'
import { Socket } from 'node:net'
import type { HttpAnswer, HttpRequest } from '../kernel/network.ts'
import { serviceOf } from '../kernel/network.ts'
import { theEngines } from './engines.ts'

/** In place of Node's HTTP server: it gets its requests from the simulated network. Requests and responses are Node's own. */
export class SimulatedServer extends EventEmitter {
  readonly #listener: RequestListener
  #port = 0
  #running = 0
  #stop: (() => void) | undefined
  #onIdle: (() => void) | undefined

  constructor(listener: RequestListener) {
    super()
    this.#listener = listener
  }

  listen(port: number, _host: string, done: () => void): this {
    const { network, process } = theEngines()
    this.#port = port
    this.#stop = network.listen(serviceOf(process.name), port, process, async (request) => {
      this.#running += 1
      const answer = await serve(this.#listener, request)
      this.#running -= 1
      if (this.#running === 0) this.#onIdle?.()
      return answer
    })
    process.run(done)
    return this
  }

  address(): { port: number } {
    return { port: this.#port }
  }

  close(done: () => void): this {
    this.#stop?.()
    this.#onIdle = done
    if (this.#running === 0) done()
    return this
  }

  closeIdleConnections(): void {
    // There are no idle connections here.
  }

  closeAllConnections(): void {
    this.#onIdle?.()
  }
}

/** A socket that keeps what is written to it. */
class Sink extends Socket {
  readonly chunks: Buffer[] = []

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)
    done()
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: () => void): void {
    for (const { chunk, encoding } of chunks) this._write(chunk, encoding, () => undefined)
    done()
  }
}

function serve(listener: RequestListener, { method, path, headers, body }: HttpRequest): Promise<HttpAnswer | undefined> {
  return new Promise((resolve) => {
    const socket = new Sink()
    const request = new IncomingMessage(socket)
    const length = Buffer.byteLength(body)
    Object.assign(request, {
      method,
      url: path,
      headers: length > 0 ? { ...headers, 'content-length': String(length) } : headers,
    })
    const response = new ServerResponse(request)
    response.assignSocket(socket)
    response.once('finish', () => {
      response.detachSocket(socket)
      response.emit('close')
      resolve({ status: response.statusCode, body: bodyOf(Buffer.concat(socket.chunks).toString('utf8')) })
    })
    socket.once('close', () => resolve(undefined))
    if (length > 0) request.push(Buffer.from(body))
    request.complete = true
    request.push(null)
    listener(request, response)
  })
}

function bodyOf(written: string): string {
  const end = written.indexOf('\r\n\r\n')
  if (/^transfer-encoding: chunked/imu.test(written.slice(0, end))) throw new Error('the simulation reads no chunked answers')
  return written.slice(end + 4)
}
