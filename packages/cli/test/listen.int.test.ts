import type { ServerResponse } from 'node:http'
import { readdirSync, readFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { formatSigningSecret } from '@gateway/contracts'
import { eventually } from '@gateway/testkit/eventually'
import { credentials, problem, startServer, type FakeRequest, type FakeServer } from './fake-gateway.ts'
import { packCli, type Packed } from './packed.ts'

const secret = formatSigningSecret(randomBytes(32))
let pgw: Packed
let receiver: FakeServer
let receiverStatus = 200
/** Sends what a connection gets; set by each test. */
let serve: (request: FakeRequest, response: ServerResponse) => void
let gateway: FakeServer
let env: Record<string, string>

beforeAll(async () => {
  pgw = await packCli()
  receiver = await startServer((_request, response) => response.writeHead(receiverStatus).end())
  gateway = await startServer((request, response) => serve(request, response))
  env = { PGW_BASE_URL: gateway.url, PGW_KEY_ID: credentials.key_id, PGW_KEY_SECRET: credentials.key_secret }
})

afterAll(async () => {
  await gateway.stop()
  await receiver.stop()
  pgw.remove()
})

function open(response: ServerResponse, position: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  response.write(`event: ready\nid: ${position}\ndata: ${JSON.stringify({ signing_secret: secret, ends_at: '' })}\n\n`)
}

function sendCopy(response: ServerResponse, position: number, id = `evt_${position}`): string {
  const body = `{ "txnid":"T1", "merchantTxnId":"ORD-${position}","status":"Success","note":"नीली" }`
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
    'webhook-attempt': '1',
    'webhook-sequence': '3',
    'webhook-copy': 'listen',
  }
  response.write(`event: webhook\nid: ${position}\ndata: ${JSON.stringify({ headers, body })}\n\n`)
  return body
}

const sessions = () => gateway.requests.filter(({ path }) => path.startsWith('/api/v1/webhooks/listen'))
const positions = () => sessions().map(({ headers }) => headers['last-event-id'])

// Proves: cli/listen-forwards-the-same-bytes
test('copies are forwarded byte for byte; a lost connection resumes; no copy is forwarded twice', async () => {
  const bodies: string[] = []
  const before = sessions().length
  serve = (_request, response) => {
    const session = sessions().length - before
    open(response, session * 10)
    response.write(': heartbeat\n\n')
    bodies.push(sendCopy(response, session * 10 + 1))
    if (session === 1) {
      sendCopy(response, 12, 'evt_twice')
      // A crash in the middle of an event: the half that has arrived counts for nothing.
      setTimeout(() => response.write('event: webhook\nid: 13\ndata: {"hea', () => response.destroy()), 100)
    } else if (session === 2) {
      sendCopy(response, 22, 'evt_twice')
      response.end('event: end\ndata: {"reason":"session_over"}\n\n')
    }
  }
  const running = pgw.start(['listen', '--json', '--forward-to', `${receiver.url.replace('http://', '')}/hook`], { env })
  await eventually(() => expect(running.stdout().trimEnd().split('\n')).toHaveLength(4), { deadlineMs: 30_000 })
  // What other programs on this machine can see.
  expect(processLists()).not.toContain(credentials.key_secret)
  running.child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await running.ended
  expect(exitCode).toBe(130)
  expect(positions().slice(before)).toEqual([undefined, '12', '22'])
  const ids = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; forwarded: object })
  expect(ids.map(({ id }) => id).toSorted()).toEqual(['evt_11', 'evt_21', 'evt_31', 'evt_twice'])
  expect(ids.every(({ forwarded }) => 'status_code' in forwarded && forwarded.status_code === 200)).toBe(true)
  const verifier = new Webhook(secret)
  for (const { headers, body } of receiver.requests)
    expect(() => verifier.verify(body, headers as Record<string, string>)).not.toThrow()
  for (const body of bodies) expect(receiver.requests.map((request) => request.body)).toContain(body)
  expect(receiver.requests.every(({ path, headers }) => path === '/hook' && headers['webhook-copy'] === 'listen')).toBe(true)
  expect(stdout + stderr).not.toContain(secret)
  expect(stdout + stderr).not.toContain(credentials.key_secret)
})

test('a receiver that refuses the signature gets a hint at the secret', async () => {
  receiverStatus = 401
  serve = (_request, response) => {
    open(response, 100)
    sendCopy(response, 102)
  }
  const running = pgw.start(['listen', '--forward-to', receiver.url], { env })
  await eventually(() => expect(running.stderr()).toContain('the secret that pgw listen --print-secret shows'), {
    deadlineMs: 20_000,
  })
  running.child.kill('SIGINT')
  await running.ended
  receiverStatus = 200
})

test('--since is an instant, and 204 is warned about', async () => {
  receiverStatus = 204
  serve = (_request, response) => {
    open(response, 100)
    sendCopy(response, 101)
  }
  const startedMs = Date.now()
  const running = pgw.start(['listen', '--since', '10m', '--forward-to', receiver.url], { env })
  await eventually(() => expect(running.stderr()).toMatch(/answered 204; only 200/u), { deadlineMs: 20_000 })
  running.child.kill('SIGINT')
  await running.ended
  receiverStatus = 200
  const { searchParams } = new URL(sessions().at(-1)?.path ?? '', gateway.url)
  expect(Math.abs(Date.parse(searchParams.get('since') ?? '') - (startedMs - 600_000))).toBeLessThan(10_000)
})

test('a receiver that is away, or redirects, is shown and no copy is lost', async () => {
  serve = (_request, response) => {
    open(response, 200)
    sendCopy(response, 201)
  }
  const running = pgw.start(['listen', '--json', '--forward-to', 'localhost:1'], { env })
  await eventually(() => expect(running.stdout()).toContain('evt_201'), { deadlineMs: 20_000 })
  running.child.kill('SIGINT')
  expect(JSON.parse((await running.ended).stdout)).toMatchObject({ forwarded: { status_code: null, error: expect.any(String) } })

  receiverStatus = 307
  const redirected = pgw.start(['listen', '--json', '--forward-to', receiver.url], { env })
  await eventually(() => expect(redirected.stdout()).toContain('evt_201'), { deadlineMs: 20_000 })
  redirected.child.kill('SIGINT')
  expect(JSON.parse((await redirected.ended).stdout)).toMatchObject({ forwarded: { status_code: 307 } })
  receiverStatus = 200
})

test('--print-secret prints the signing secret and ends', async () => {
  serve = (_request, response) => open(response, 300)
  expect(await pgw.run(['listen', '--print-secret'], { env })).toEqual({ exitCode: 0, stdout: `${secret}\n`, stderr: '' })
})

test.each([
  [401, 'token_invalid', 3],
  [404, 'not_found', 4],
  [429, 'too_many_listeners', 4],
  [503, 'database_unavailable', 5],
])('a first connection that is refused with %i ends at once', async (status, code, exitCode) => {
  serve = (_request, response) => problem(response, status, code)
  const run = await pgw.run(['listen'], { env })
  expect(run).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(code) })
})

test('a later refusal for too many sessions is tried again; a revoked credential ends with 3', async () => {
  const before = sessions().length
  serve = (_request, response) => {
    const session = sessions().length - before
    if (session === 2) problem(response, 429, 'too_many_listeners')
    else if (session === 4) problem(response, 401, 'token_invalid')
    else {
      open(response, 400)
      response.end()
    }
  }
  expect(await pgw.run(['listen'], { env })).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('connected again') })
  expect(sessions().length - before).toBe(4)
})

function processLists(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      } catch {
        return ''
      }
    })
    .join('\n')
}
