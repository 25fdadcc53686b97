import { Router } from 'express'
import { jsonClient } from '@gateway/testkit'
import type { CallerTokens } from '../config/tokens.ts'
import type { Log } from '../logging/logger.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { makeRequireCaller } from './bearer.ts'
import { createApp } from './http-app.ts'
import { listen, type RunningServer } from './listen.ts'

const CALLERS: CallerTokens = new Map([
  ['checkout', ['old-token', 'new-token']],
  ['webhook-dispatcher', ['its-token']],
])
const servers: RunningServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(1000)
})

/** A server with one route for checkout; `lines` are the log's. */
async function serve() {
  const lines: object[] = []
  const keep = (message: string, fields?: object) => void lines.push({ message, ...fields })
  const log: Log = { info: keep, warn: keep, error: keep, debug: keep }
  const routes = [
    Router().get('/internal/v1/thing', makeRequireCaller(CALLERS)(['checkout']), (_request, response) => {
      response.json({})
    }),
  ]
  const server = await listen(createApp({ log, metrics: createMetrics('test'), checks: [], routes }), {
    port: 0,
    host: '127.0.0.1',
  })
  servers.push(server)
  const call = (token: string) =>
    jsonClient(`http://127.0.0.1:${server.port}`, token === '' ? {} : { authorization: `Bearer ${token}` })
  return { lines, statusWith: async (token: string) => (await call(token)('GET', '/internal/v1/thing')).status }
}

// Proves: api/internal-routes-know-their-callers, api/caller-tokens-rotate
test('both live tokens of a service that the route is for are accepted, any other is not; the log names the service', async () => {
  const { lines, statusWith } = await serve()
  const tokens = ['old-token', 'new-token', 'its-token', 'unknown', '']
  const statuses = []
  for (const token of tokens) statuses.push(await statusWith(token))
  expect(statuses).toEqual([200, 200, 401, 401, 401])
  expect(lines).toMatchObject([
    { status: 200, calling_service: 'checkout' },
    { status: 200, calling_service: 'checkout' },
    { status: 401, calling_service: 'webhook-dispatcher' },
    { status: 401, calling_service: undefined },
    { status: 401, calling_service: undefined },
  ])
})
