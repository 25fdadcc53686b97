import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { Headers as UndiciHeaders } from 'undici'
import { formatSigningSecret, readSigningSecret, sign as signAsTheGateway, verifySignature } from '@gateway/contracts'
import { GatewayError, sign, SignatureError, verify, type WebhookHeaders } from '@gateway/sdk'

const secret = formatSigningSecret(randomBytes(32))
const payload = {
  txnid: 'T1',
  merchantTxnId: 'ORD-1',
  amount: '499.00',
  rrn: '',
  status: 'Success',
  metadata: { udf1: 'नीली कमीज़', udf2: '', udf3: '' },
  datetime: '2026-01-31 18:30:00',
}
const body = JSON.stringify(payload)
const at = new Date('2026-01-31T13:00:00Z')
const reasonOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => 'accepted',
    (error: unknown) => (error instanceof SignatureError ? error.reason : error),
  )

// Proves: sdk/signatures-are-standard-webhooks
test('what sign signs, the published library and the gateway accept', async () => {
  const now = new Date()
  const headers = await sign(body, secret)
  expect(new Webhook(secret).verify(body, headers)).toEqual(payload)
  const message = {
    id: headers['webhook-id'],
    timestamp: headers['webhook-timestamp'],
    signature: headers['webhook-signature'],
    body,
  }
  expect(verifySignature(message, [readSigningSecret(secret)], now)).toBe(true)
})

test('what the published library and the gateway sign, verify accepts', async () => {
  const id = 'evt_1'
  const seconds = String(Math.floor(at.getTime() / 1000))
  const signatures = [
    new Webhook(secret).sign(id, at, body),
    signAsTheGateway(id, Number(seconds), body, [readSigningSecret(secret)]),
  ]
  for (const signature of signatures) {
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': signature,
      'webhook-sequence': '3',
      'webhook-attempt': '2',
    }
    const expected = { id, at, attempt: 2, sequence: 3, isTest: false, payload }
    expect(await verify(body, headers, secret, { now: at })).toEqual(expected)
    expect(await verify(Buffer.from(body), new Headers(headers), [secret], { now: at })).toEqual(expected)
  }
})

test('any body and any secret: signed here, accepted there, and no other way round', async () => {
  const texts = fc.tuple(
    fc.uint8Array({ minLength: 24, maxLength: 64 }),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary' }),
  )
  await fc.assert(
    fc.asyncProperty(texts, async ([key, text, other]) => {
      const one = formatSigningSecret(Buffer.from(key))
      const data = JSON.stringify({ ...payload, note: text })
      const headers = await sign(data, one)
      expect(() => new Webhook(one).verify(data, headers)).not.toThrow()
      const changed = JSON.stringify({ ...payload, note: `${text}${other}.` })
      expect(await reasonOf(verify(changed, headers, one))).toBe('signature_mismatch')
    }),
  )
})

// Proves: sdk/forged-webhooks-are-refused
test('each kind of forgery has its reason', async () => {
  const headers = await sign(body, secret, { at })
  const now = at
  const late = new Date(at.getTime() + 300_001)
  const early = new Date(at.getTime() - 300_001)
  const { 'webhook-id': _id, ...anonymous } = headers
  const foreign = formatSigningSecret(randomBytes(32))
  expect(await reasonOf(verify(body, headers, secret, { now: new Date(at.getTime() + 300_000) }))).toBe('accepted')
  expect(await reasonOf(verify(body, headers, secret, { now: new Date(at.getTime() - 300_000) }))).toBe('accepted')
  expect(await reasonOf(verify(body, headers, secret, { now: late }))).toBe('timestamp_too_old')
  expect(await reasonOf(verify(body, headers, secret, { now: early }))).toBe('timestamp_too_new')
  expect(await reasonOf(verify(body, headers, secret, { now: new Date(Number.NaN) }))).toBe('timestamp_too_new')
  expect(await reasonOf(verify(body, anonymous, secret, { now }))).toBe('header_missing')
  expect(await reasonOf(verify(body, {}, secret, { now }))).toBe('header_missing')
  expect(await reasonOf(verify(body, { ...headers, 'webhook-timestamp': '1e9' }, secret, { now }))).toBe('timestamp_invalid')
  expect(await reasonOf(verify(`${body} `, headers, secret, { now }))).toBe('signature_mismatch')
  expect(await reasonOf(verify(body, { ...headers, 'webhook-id': 'other' }, secret, { now }))).toBe('signature_mismatch')
  expect(await reasonOf(verify(body, headers, foreign, { now }))).toBe('signature_mismatch')
  for (const signature of ['', 'v1', 'v1,', 'v2,AAAA', 'v1a,AAAA', 'v1,!!!', 'v1,AAAA'])
    expect(await reasonOf(verify(body, { ...headers, 'webhook-signature': signature }, secret, { now }))).toBe(
      signature === '' ? 'header_missing' : 'signature_mismatch',
    )
})

test('one of several signatures by one of several secrets is enough; a flood of signatures is not read', async () => {
  const old = formatSigningSecret(randomBytes(32))
  const headers = await sign(body, old, { at })
  const genuine = headers['webhook-signature']
  const junk = `v1,${randomBytes(32).toString('base64')}`
  const withSignatures = (...signatures: string[]) => ({ ...headers, 'webhook-signature': signatures.join(' ') })
  expect(await reasonOf(verify(body, withSignatures(junk, genuine), [secret, old], { now: at }))).toBe('accepted')
  expect(await reasonOf(verify(body, withSignatures(...Array<string>(8).fill(junk), genuine), old, { now: at }))).toBe(
    'signature_mismatch',
  )
})

// Proves: sdk/harmless-differences-are-accepted
test('a secret with a line break, an unset second secret, and a body in base64 are accepted', async () => {
  const headers = await sign(body, secret, { at })
  for (const given of [`${secret}\n`, `\r\n ${secret} `, [secret, ''], ['', secret], [undefined, secret]])
    expect(await reasonOf(verify(body, headers, given, { now: at }))).toBe('accepted')
  const base64 = Buffer.from(body).toString('base64')
  for (const given of [base64, `${base64}\n`, `${base64}\r\n`])
    expect((await verify(given, headers, secret, { now: at })).payload).toEqual(payload)
  const bytes = Buffer.from(body)
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  expect((await verify(buffer, headers, secret, { now: at })).payload).toEqual(payload)
  const changed = Buffer.from(`${body} `).toString('base64')
  expect(await reasonOf(verify(changed, headers, secret, { now: at }))).toBe('signature_mismatch')
})

// Proves: sdk/harmless-differences-are-accepted
test('a clock that is too far off is named with its difference', async () => {
  const headers = await sign(body, secret, { at })
  const by = (seconds: number) => verify(body, headers, secret, { now: new Date(at.getTime() + seconds * 1000) })
  expect(await reasonOf(by(-40))).toBe('accepted')
  await expect(by(412)).rejects.toMatchObject({
    reason: 'timestamp_too_old',
    message: /signed 412 s before this machine's time/u,
  })
  await expect(by(-412)).rejects.toMatchObject({
    reason: 'timestamp_too_new',
    message: /signed 412 s after this machine's time/u,
  })
})

/** A `Headers` as another library has it: none of its classes is Node's. */
class OtherHeaders {
  readonly #pairs: Map<string, string>
  constructor(headers: Readonly<Record<string, string>>) {
    this.#pairs = new Map(Object.entries(headers))
  }
  get(name: string): string | null {
    return this.#pairs.get(name.toLowerCase()) ?? null
  }
}

// Proves: sdk/any-headers-are-read
test('headers of every kind are read', async () => {
  const headers = { ...(await sign(body, secret, { at })), 'webhook-sequence': '3', 'webhook-attempt': '2' }
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  const kinds: [string, WebhookHeaders][] = [
    ["undici's Headers", new UndiciHeaders(headers)],
    ['an object with get only', new OtherHeaders(headers)],
    ['a Map in upper case', new Map(Object.entries(upper))],
    ['pairs', Object.entries(upper)],
    ['an iterator, which ends', Object.entries(headers)[Symbol.iterator]()],
    ['rawHeaders', Object.entries(upper).flat()],
    ['lists of values', Object.fromEntries(Object.entries(upper).map(([name, value]) => [name, [value]]))],
    ['numbers', { ...headers, 'webhook-timestamp': Number(headers['webhook-timestamp']) }],
    ['no prototype', Object.assign(Object.create(null), upper) as Record<string, string>],
    ['a get that returns an empty text', { get: (name: string) => new Headers(headers).get(name) ?? '' }],
  ]
  for (const [kind, given] of kinds) {
    const read = await verify(body, given, secret, { now: at }).catch((error: unknown) => error)
    expect([kind, read]).toEqual([kind, expect.objectContaining({ attempt: 2, sequence: 3 })])
  }
})

// Proves: sdk/any-headers-are-read
test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /undefined came/u],
  ['null', null, /null came/u],
  ['text', 'webhook-id: 1', /string came/u],
  ['a promise of headers, as of Next', Promise.resolve(new Headers()), /\(Promise\) came: await it/u],
  [
    'a whole request',
    new Request('https://m.example', { headers: { 'webhook-id': '1' } }),
    /\(Request\) came: pass its headers/u,
  ],
  ['an event of Lambda', { headers: { 'webhook-id': '1' }, body: '' }, /came: pass its headers/u],
  ['objects as values', { 'webhook-id': { value: 'evt' } }, /webhook-id must be text, but an object \(Object\) came/u],
  ['a list of other things', [1, 2, 3], /an array of something else came/u],
])('%s is no headers: an error says what came', async (_name, given, message) => {
  const failed = await verify(body, given as Headers, secret, { now: at }).catch((error: unknown) => error)
  expect(failed).toMatchObject({ name: 'GatewayError', message: expect.stringMatching(message) })
})

test('headers are found in any case; one that came twice counts as missing', async () => {
  const headers = await sign(body, secret, { at })
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  expect(await reasonOf(verify(body, upper, secret, { now: at }))).toBe('accepted')
  expect(await reasonOf(verify(body, { ...headers, 'Webhook-Id': 'evt_2' }, secret, { now: at }))).toBe('header_missing')
})

test('a sequence that is no whole number is an error, not a forgery; a missing one is 0', async () => {
  const headers = await sign(body, secret, { at })
  for (const sequence of ['abc', '', ' ', '-1', '1.5', '0x3', '1'.repeat(16)]) {
    const failed = verify(body, { ...headers, 'webhook-sequence': sequence }, secret, { now: at })
    await expect(failed).rejects.toMatchObject({ name: 'GatewayError', message: /webhook-sequence/u })
  }
  expect((await verify(body, headers, secret, { now: at })).sequence).toBe(0)
})

test('a test event says so', async () => {
  const headers = { ...(await sign(body, secret, { at })), 'webhook-test': 'true' }
  expect((await verify(body, headers, secret, { now: at })).isTest).toBe(true)
})

// Proves: sdk/short-secrets-are-refused
test.each([
  ['a short secret', formatSigningSecret(randomBytes(23))],
  ['no base64', 'whsec_€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€'],
])('%s is refused, and is no SignatureError', async (_name, wrong) => {
  const headers = await sign(body, secret, { at })
  const failures = [
    verify(body, headers, wrong, { now: at }),
    verify(body, headers, [secret, wrong], { now: at }),
    sign(body, wrong),
  ]
  for (const failure of failures)
    await expect(failure).rejects.toMatchObject({ name: 'GatewayError', message: /at least 24 bytes/u })
})

test('no secret at all, and a parsed body, are mistakes that the error names', async () => {
  const headers = await sign(body, secret, { at })
  for (const none of [[], '', '\n', ['', undefined]])
    await expect(verify(body, headers, none, { now: at })).rejects.toThrow(/at least one signing secret/u)
  await expect(sign(body, '')).rejects.toThrow(/at least 24 bytes/u)
  const parsed: unknown = JSON.parse(body)
  await expect(verify(parsed as string, headers, secret, { now: at })).rejects.toThrow(/raw body/u)
})

test('a genuine body of another shape is an error, not a forgery', async () => {
  for (const other of ['', '{', '[]', '"text"', '{"txnid":1}']) {
    const failed = await verify(other, await sign(other, secret), secret).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(GatewayError)
    expect(failed).not.toBeInstanceOf(SignatureError)
  }
})
