import type { SimulatedProcess } from './process.ts'
import type { World } from './kernel.ts'

export interface HttpRequest {
  readonly method: string
  /** The name of a service or an actor. */
  readonly host: string
  readonly port: number
  /** With its query. */
  readonly path: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface HttpAnswer {
  readonly status: number
  readonly body: string
}

/** Answers a request. It runs as the process that listens; `undefined` breaks the connection off. */
export type Handler = (request: HttpRequest) => Promise<HttpAnswer | undefined>

/** What befalls one exchange. */
export type ExchangeFault = 'refuse' | 'lose request' | 'lose answer' | 'reset before' | 'reset after'

/** A call without an answer; `code` as Node's own. */
export class NoAnswer extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

interface Listener {
  readonly host: string
  readonly port: number
  readonly process: SimulatedProcess
  readonly handle: Handler
  /** Breaks the exchanges off that are under way. */
  readonly open: Set<() => void>
}

const LATENCY_MS = { least: 0.2, most: 3 }

/** HTTP between simulated processes: each exchange takes time and may fail in each of its steps. */
export class Network {
  readonly #world: World
  readonly #listeners = new Set<Listener>()
  /** Draws the fault of an exchange. */
  faultOf: (from: string, to: string) => ExchangeFault | undefined = () => undefined
  /** Told of each answer at the moment when its server gives it. */
  onAnswer: (request: HttpRequest, answer: HttpAnswer) => void = () => undefined

  constructor(world: World) {
    this.#world = world
  }

  /** Listens until the process ends or the result is called. Several processes at one address share its requests. */
  listen(host: string, port: number, process: SimulatedProcess, handle: Handler): () => void {
    const listener: Listener = { host, port, process, handle, open: new Set() }
    this.#listeners.add(listener)
    const close = (): void => void this.#listeners.delete(listener)
    process.onEnd(() => {
      close()
      for (const reset of listener.open) reset()
    })
    return close
  }

  /** One exchange. Rejects with `NoAnswer`, whose code is `ETIMEDOUT` after `timeoutMs`. */
  request(from: SimulatedProcess, request: HttpRequest, timeoutMs: number): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
    const timer = setTimeout(() => reject(new NoAnswer('ETIMEDOUT')), timeoutMs)
    const fault = this.faultOf(serviceOf(from.name), request.host)
    const fail = (code: string): void => this.#later(() => from.deliver(() => reject(new NoAnswer(code))))
    const what = `${request.method} ${request.host}${request.path}`
    const reset = (): void => fail('ECONNRESET')
    from.outside(what, () =>
      this.#later(() => {
        if (fault === 'lose request') return
        const listener = fault === 'refuse' ? undefined : this.#pick(request)
        if (fault === 'reset before' || !listener) {
          fail(fault === 'reset before' ? 'ECONNRESET' : 'ECONNREFUSED')
          return
        }
        listener.open.add(reset)
        const end = (answer: HttpAnswer | undefined): void => {
          if (!listener.open.delete(reset)) return
          from.kernel.trace(from.name, `${what} → ${fault ?? answer?.status ?? 'broken off'} (${listener.process.name})`)
          if (fault === 'lose answer') return
          if (fault === 'reset after' || !answer) reset()
          else this.#later(() => from.deliver(() => resolve(answer)))
        }
        listener.process.deliver(() => void this.#serve(listener, request, end))
      }),
    )
    return promise.finally(() => clearTimeout(timer))
  }

  async #serve(
    { process, handle }: Listener,
    request: HttpRequest,
    end: (answer: HttpAnswer | undefined) => void,
  ): Promise<void> {
    const answer = await handle(request)
    if (answer && process.isAlive) this.onAnswer(request, answer)
    process.outside(`the answer to ${request.method} ${request.path}`, () => end(answer))
  }

  #pick({ host, port }: HttpRequest): Listener | undefined {
    const listeners = [...this.#listeners].filter((listener) => listener.host === host && listener.port === port)
    return listeners[Math.floor(this.#world.random() * listeners.length)]
  }

  #later(run: () => void): void {
    this.#world.after(LATENCY_MS.least + this.#world.random() ** 3 * (LATENCY_MS.most - LATENCY_MS.least), run)
  }
}

/** `order-api` of `order-api 2`. */
export function serviceOf(processName: string): string {
  return processName.replace(/ \d+$/u, '')
}
