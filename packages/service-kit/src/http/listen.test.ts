import { request as ask, Agent, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { Pool } from 'undici'
import { listen, type RunningServer } from './listen.ts'

const begun = Promise.withResolvers<undefined>()
const held = Promise.withResolvers<undefined>()
let server: RunningServer
beforeAll(async () => {
  server = await listen(
    (request, response) => {
      if (request.url !== '/slow') return void response.writeHead(200, { 'content-length': '2' }).end('ok')
      begun.resolve(undefined)
      void held.promise.then(() => response.end('late'))
    },
    { port: 0, host: '127.0.0.1' },
  )
})

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => {
  agent.destroy()
})
async function get(path: string, by: Agent = agent): Promise<IncomingMessage> {
  const sent = ask({ port: server.port, host: '127.0.0.1', path, agent: by }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer
}

const SHUTDOWN_DELAY_MS = 5000

/** Sooner than the server itself closes what nobody uses. */
const BY_THE_CLIENT_MS = 60_000

test(
  'clients are told to close what they do not use, sooner than one that was told to stop closes it',
  async () => {
    const pool = new Pool(`http://127.0.0.1:${server.port}`, { connections: 8 })
    const allClosed = new Promise<void>((resolve) => {
      pool.on('disconnect', () => pool.stats.connected === 0 && resolve())
    })
    const asked = Array.from({ length: 8 }, async () => {
      const { body, headers } = await pool.request({ method: 'GET', path: '/anything' })
      const [, toldSeconds] = /^timeout=(\d+)$/u.exec(String(headers['keep-alive'])) ?? []
      expect(Number(toldSeconds) * 1000).toBeLessThan(SHUTDOWN_DELAY_MS)
      await body.dump()
    })
    await Promise.all(asked)
    await allClosed
    await pool.close()
  },
  BY_THE_CLIENT_MS,
)

// Proves: deploy/graceful-stop
test('one that retires is not ready and closes connections, serves on, and when it stops ends what it has begun', async () => {
  expect((await get('/readyz')).headers.connection).toBe('keep-alive')
  const slow = get('/slow', new Agent())
  await begun.promise

  server.retire()
  // On the connection that was kept alive.
  const ready = await get('/readyz')
  expect([ready.statusCode, ready.headers.connection]).toEqual([503, 'close'])
  const other = await get('/anything')
  expect([other.statusCode, other.headers.connection]).toEqual([200, 'close'])

  const stopped = server.stop(10_000)
  await expect(get('/anything')).rejects.toThrow('ECONNREFUSED')
  held.resolve(undefined)
  expect((await slow).statusCode).toBe(200)
  await stopped
})

test('however many requests come at once, a turn of the event loop begins only as many as its slice has room for', async () => {
  const [WORK_MS, CALLERS] = [2, 20]
  let turns: number[] = []
  const busy = await listen(
    (request, response) => {
      // As most do: only when the body is there.
      request.resume().once('end', () => {
        turns.push(performance.nodeTiming.uvMetricsInfo.loopCount)
        const endsAt = performance.now() + WORK_MS
        while (performance.now() < endsAt);
        response.end('ok')
      })
    },
    { port: 0, host: '127.0.0.1' },
  )
  const sockets = Array.from({ length: CALLERS }, () => connect(busy.port, '127.0.0.1'))
  const askAll = async (connection: string): Promise<void> => {
    // Written before the event loop looks at the server's side of any.
    for (const socket of sockets) socket.write(`GET / HTTP/1.1\r\nhost: a\r\nconnection: ${connection}\r\n\r\n`)
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
  }
  // Connections are taken one per turn: only once they are all open can all their requests come in one.
  await askAll('keep-alive')
  turns = []
  await askAll('close')
  const begunByTurn = Object.values(Object.groupBy(turns, String)).map((begun) => begun?.length ?? 0)
  expect(turns).toHaveLength(CALLERS)
  // Five milliseconds have room for three works of two; the first turn has its slice at its input and the next one's right after it.
  expect(Math.max(...begunByTurn)).toBeLessThanOrEqual(2 * 3)
  await busy.stop(1000)
})
