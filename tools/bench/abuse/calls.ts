import { Pool } from 'undici'

export interface Answer {
  readonly status: number
  /** From the call to the last byte of the answer. */
  readonly tookMs: number
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Sends a call once. Status 0 means that there was no answer. */
export type Send = (call: Call) => Promise<Answer>

export interface Caller {
  readonly send: Send
  close(): Promise<void>
}

/** Calls `origin` from one address of this machine: the gateway sees each such caller as another client. */
export function callFrom(localAddress: string, origin: string, connections: number): Caller {
  const pool = new Pool(origin, { connections, pipelining: 1, localAddress })
  return {
    async send({ method = 'GET', path, headers = {}, body }) {
      const startedMs = performance.now()
      const sent = body
        ? { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
        : { headers }
      const status = await pool.request({ method, path, ...sent }).then(
        async (answer) => {
          await answer.body.dump()
          return answer.statusCode
        },
        () => 0,
      )
      return { status, tookMs: performance.now() - startedMs }
    },
    close: () => pool.destroy(),
  }
}

/** Makes `count` calls, `concurrency` at a time; resolves to the number of answers by status. */
export async function flood(count: number, concurrency: number, call: (index: number) => Promise<Answer>) {
  const statuses: number[] = []
  let next = 0
  const caller = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) statuses.push((await call(index)).status)
  }
  await Promise.all(Array.from({ length: concurrency }, caller))
  return { share: (status: number): number => statuses.filter((one) => one === status).length / count }
}
