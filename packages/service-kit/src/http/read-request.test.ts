/** The same bodies to every kind of route: the hot way, the same route by the framework, a cold route, raw bytes, a form. */
import { gzipSync } from 'node:zlib'
import { Router } from 'express'
import { silentLog } from '../logging/logger.ts'
import { createMetrics } from '../metrics/metrics.ts'
import type { HotRoute } from './hot-route.ts'
import { createApp } from './http-app.ts'
import { listen, type RunningServer } from './listen.ts'
import { formReader } from './read-request.ts'

const hot: HotRoute = { path: '/hot', handle: ({ body }) => Promise.resolve({ status: 200, body: { body } }) }
const bytes: HotRoute = {
  path: '/bytes',
  reads: 'bytes',
  handle: ({ body }) => Promise.resolve({ status: 200, body: { body: body.toString('base64') } }),
}
const form = Router().post('/form', formReader({ limitBytes: 1024, maxFields: 3 }), (request, response) => {
  response.json({ body: request.body as unknown })
})
const cold = Router()
  .post('/cold', (request, response) => void response.json({ body: request.body as unknown }))
  .get('/query/:id', (request, response) => void response.json({ ...request.query, ...request.params }))

let server: RunningServer
beforeAll(async () => {
  const parts = { log: silentLog, metrics: createMetrics('test'), checks: [] }
  const app = createApp({ ...parts, rawRoutes: [form], hotRoutes: [hot, bytes], routes: [cold] })
  server = await listen(app, { port: 0, host: '127.0.0.1' })
})
afterAll(() => server.stop(1000))

const url = (path: string) => `http://127.0.0.1:${server.port}${path}`

async function send(path: string, body: string | Buffer | ReadableStream, headers: Record<string, string>) {
  const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit
  const answer = (await (await fetch(url(path), init)).json()) as { code?: string; body?: unknown; errors?: { field: string }[] }
  return answer.code ?? answer.body
}
const JSON_BODY = { 'content-type': 'application/json' }

/** Every way to a reader of JSON. The hot way takes only what has a length. */
const WAYS: Record<string, (body: Buffer, headers?: Record<string, string>) => Promise<unknown>> = {
  hot: (body, headers = JSON_BODY) => send('/hot', body, headers),
  'the framework': (body, headers = JSON_BODY) => send('/hot', ReadableStream.from([body]), headers),
  cold: (body, headers = JSON_BODY) => send('/cold', body, headers),
}

const ACCENT = { name: 'José', note: 'नीली 👕' }
const TEXT = JSON.stringify(ACCENT)

describe.each(Object.entries(WAYS))('JSON, %s', (_name, post) => {
  // Proves: api/one-reader-of-bodies
  test.each<[string, Buffer, unknown]>([
    ['UTF-8', Buffer.from(TEXT), ACCENT],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`), ACCENT],
    ['two byte order marks', Buffer.from(`\ufeff\ufeff${TEXT}`), 'malformed_json'],
    ['Latin-1', Buffer.from('{"name":"José"}', 'latin1'), 'body_not_utf8'],
    ['UTF-16', Buffer.from(TEXT, 'utf16le'), expect.stringMatching(/^(?:body_not_utf8|malformed_json)$/u)],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le'), 'body_not_utf8'],
    ['a character cut in two', Buffer.from('{"name":"नी"}').fill(0x22, 11, 12), 'body_not_utf8'],
    ['half of a surrogate pair', Buffer.from('{"name":"\\ud83d"}'), 'validation_failed'],
    ['blanks', Buffer.from('  '), 'malformed_json'],
    ['a number', Buffer.from('5'), 'malformed_json'],
    ['NUL', Buffer.from('{"a":"\u0000"}'), 'malformed_json'],
    ['a name twice', Buffer.from('{"a":1,"a":2}'), { a: 2 }],
    ['a number above all', Buffer.from('{"a":1e999}'), { a: null }],
  ])('%s', async (_kind, body, expected) => {
    expect(await post(body)).toEqual(expected)
  })

  test('a field of the name __proto__ is an ordinary field', async () => {
    expect(Object.keys((await post(Buffer.from('{"__proto__":{"a":1}}'))) as object)).toEqual(['__proto__'])
  })

  // Proves: api/one-reader-of-bodies
  test.each([
    'application/json; charset=utf-8',
    'Application/JSON;Charset="UTF-8"',
    'application/json ; charset=utf8; profile="a;charset=latin1"',
    'application/json; charset',
  ])('%s is JSON in UTF-8', async (type) => {
    expect(await post(Buffer.from(`\ufeff${TEXT}`), { 'content-type': type })).toEqual(ACCENT)
    expect(await post(Buffer.from('{"name":"José"}', 'latin1'), { 'content-type': type })).toBe('body_not_utf8')
  })

  // Proves: api/one-reader-of-bodies
  test.each<Record<string, string>>([
    { 'content-type': 'application/json; charset=iso-8859-1' },
    { 'content-type': 'application/json;charset="utf-16"' },
    { 'content-type': 'application/json; charset=utf-7' },
    { 'content-type': 'text/json' },
    { 'content-type': 'application/jsonx' },
    { 'content-type': '' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    { 'content-type': 'application/json', 'content-encoding': 'br' },
  ])('%j is refused, whatever the bytes are', async (headers) => {
    expect(await post(Buffer.from('{}'), headers)).toBe('content_type_unsupported')
    expect(await post(gzipSync('{}'), headers)).toBe('content_type_unsupported')
  })
})

// Proves: api/one-reader-of-bodies
test('an empty body is none, by whatever framing', async () => {
  for (const path of ['/hot', '/cold']) {
    expect(await send(path, '', {})).toBeUndefined()
    expect(await send(path, ReadableStream.from([]), JSON_BODY)).toBeUndefined()
  }
})

// Proves: api/callback-bytes-are-verified
test('a route of bytes gets them as they are, whatever charset is said', async () => {
  const body = Buffer.from('\ufeffJosé', 'latin1')
  for (const type of ['application/json', 'application/json ', 'text/plain; charset=iso-8859-1'])
    expect(await send('/bytes', body, { 'content-type': type })).toBe(body.toString('base64'))
  expect(await send('/bytes', gzipSync('{}'), { 'content-encoding': 'gzip' })).toBe('content_type_unsupported')
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

// Proves: api/one-reader-of-bodies
test.each<[string, string | Buffer, Record<string, string>, unknown]>([
  ['UTF-8', 'name=Jos%C3%A9+Rao&note=a%2Bb', FORM, { name: 'José Rao', note: 'a+b' }],
  ['its charset', 'name=a', { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }, { name: 'a' }],
  ['a byte order mark', '\ufeffname=a', FORM, { name: 'a' }],
  ['Latin-1, encoded', 'name=Jos%E9', FORM, 'body_not_utf8'],
  ['Latin-1, bytes', Buffer.from('name=José', 'latin1'), FORM, 'body_not_utf8'],
  ['a lone percent sign', 'name=100%', FORM, 'body_not_utf8'],
  [
    'another charset',
    'name=a',
    { 'content-type': 'application/x-www-form-urlencoded;charset=latin1' },
    'content_type_unsupported',
  ],
  ['another type', '{}', JSON_BODY, 'content_type_unsupported'],
  ['too many fields', 'a=1&b=2&c=3&d=4', FORM, 'malformed_request'],
  ['too many bytes', `a=${'x'.repeat(1024)}`, FORM, 'body_too_large'],
])('a form, %s', async (_name, body, headers, expected) => {
  expect(await send('/form', body, headers)).toEqual(expected)
})

const get = async (path: string) => {
  const response = await fetch(url(path))
  const answer = (await response.json()) as { code?: string }
  return answer.code === undefined ? answer : [response.status, answer.code]
}

// Proves: api/addresses-are-utf-8
test.each([
  ['/query/%ff', [400, 'malformed_request']],
  ['/query/1?a=%ff', [400, 'malformed_request']],
  ['/query/1?a=%E0%A4', [400, 'malformed_request']],
  ['/query/1?%C0%AF=1', [400, 'malformed_request']],
  ['/query/1?a=100%', [400, 'malformed_request']],
  ['/cold?a=%ED%A0%80', [400, 'malformed_request']],
  ['/query/%C3%A9?a=%C3%A9', { id: 'é', a: 'é' }],
])('%s', async (path, expected) => {
  expect(await get(path)).toEqual(expected)
})

// Proves: api/plus-of-a-time-zone
test.each([
  ['2026-11-26T00:00:00+05:30', '2026-11-26T00:00:00+05:30'],
  ['2026-11-26T00:00:00%2B05:30', '2026-11-26T00:00:00+05:30'],
  ['2026-11-26T00:00:00.123456%2005:30', '2026-11-26T00:00:00.123456+05:30'],
  ['2026-11-26T00:00+05:30', '2026-11-26T00:00+05:30'],
  ['2026-11-26T00:00:00-05:30', '2026-11-26T00:00:00-05:30'],
  ['blue+shirt+05:30', 'blue shirt 05:30'],
])('from=%s is read as %s', async (sent, read) => {
  expect(await get(`/query/1?from=${sent}`)).toEqual({ id: '1', from: read })
})
