import fc from 'fast-check'
import { asLookedUp, HOSTILE, PUBLIC } from '../../test/address-table.ts'
import { addressKindOf, addressLiteralOf, hostKindOf, refusalOf, type EndpointRules } from './address-guard.ts'
import { guardedLookup, makeCheckEndpointUrl, makeResolvePublic, type Resolve } from './guarded-lookup.ts'
import { createWebhookClient } from './webhook-client.ts'

const none: EndpointRules = { allowedHosts: new Set(), ports: 'any' }

/** A name server that knows these addresses only, under every name. */
const resolvesTo =
  (addresses: readonly string[]): Resolve =>
  async () =>
    asLookedUp(addresses)

/** A row and how it is called: by its URL, and by where its name leads when it has one. */
const called = (url: string, addresses: readonly string[]): string =>
  addresses.length === 0 ? url : `${url} at ${addresses.join(' and ')}`
const hostile = HOSTILE.map(([why, url, ...addresses]) => [why, called(url, addresses), url, addresses] as const)
const open = PUBLIC.map(([url, ...addresses]) => [called(url, addresses), url, addresses] as const)

describe(`the address table: ${HOSTILE.length} refused, ${PUBLIC.length} passed`, () => {
  // Proves: webhooks/private-addresses-refused, webhooks/refused-address-is-logged
  test.each(hostile)('%s: %s is refused at registration and at connect', async (why, _called, url, addresses) => {
    const resolve = resolvesTo(addresses)
    const refusal = await makeCheckEndpointUrl(resolve, none)(url)
    if (why === 'url') expect(refusal).toMatch(/^must (?:be a valid URL|be an https URL|not hold a user name or password)$/u)
    else expect(refusal).toBe('must lead to a public address')

    const client = createWebhookClient({ timeoutMs: 5000, rules: none, extraCa: [], resolve, now: () => new Date() })
    const result = await client.send({ url, headers: {}, body: '{}' })
    await client.close()
    expect(result).toMatchObject({ status_code: null, error: why === 'url' ? 'address_refused' : `address_refused: ${why}` })
  })

  // Proves: webhooks/public-addresses-accepted
  test.each(open)('%s passes at registration and at connect', async (_called, url, addresses) => {
    const { hostname } = new URL(url)
    const resolve = resolvesTo(addresses.length > 0 ? addresses : [hostname.replaceAll(/[[\]]/gu, '')])
    expect(await makeCheckEndpointUrl(resolve, none)(url)).toBeUndefined()
    // The address of the connection; a test does not connect to it.
    expect(refusalOf(url, none)).toBeUndefined()
    const { promise, resolve: done } = Promise.withResolvers<unknown>()
    guardedLookup(makeResolvePublic(resolve, none.allowedHosts))(hostname, { all: true }, (error, found) => done(error ?? found))
    expect(await promise).toEqual(await resolve(hostname))
  })

  test('it is long enough, and no row stands in it twice', () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(60)
    expect(PUBLIC.length).toBeGreaterThanOrEqual(15)
    for (const rows of [HOSTILE, PUBLIC]) expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(rows.length)
  })
})

// Proves: webhooks/private-addresses-refused
test('every IPv4 address is refused in all forms that embed it in IPv6', () => {
  const bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
  fc.assert(
    fc.property(bytes, ([a, b, c, d]) => {
      const dotted = `${a}.${b}.${c}.${d}`
      const hex = [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':')
      const forms = [
        `::ffff:${dotted}`,
        `::${dotted}`,
        `64:ff9b::${dotted}`,
        `2002:${hex}::1`,
        `2001:0:${hex}::1`,
        `64:ff9b:1::${dotted}`,
        `2606:4700::5efe:${dotted}`,
        `2606:4700:1:2:200:5efe:${dotted}`,
        `fe80::5efe:${dotted}`,
      ]
      for (const form of forms) expect([form, addressKindOf(form)]).not.toEqual([form, undefined])
    }),
  )
})

// Proves: spec/4-3-must-public-https-endpoint
test.each([
  ['http://merchant.example/', 'must be an https URL'],
  ['https://user@merchant.example/', 'must not hold a user name or password'],
  ['https://:secret@merchant.example/', 'must not hold a user name or password'],
  ['nonsense', 'must be a valid URL'],
  ['https://10.0.0.1/', 'must lead to a public address'],
])('%s: %s', (url, message) => {
  expect(refusalOf(url, none)?.message).toBe(message)
})

// Proves: spec/4-3-plain-http-never-used, webhooks/allowed-hosts-never-plain-http
test('a host allowed for development is allowed by its exact name, and never over plain HTTP', () => {
  const allowed = { allowedHosts: new Set(['localhost', '127.0.0.1']), ports: new Set([443]) }
  expect(refusalOf('https://localhost:9000/', allowed)).toBeUndefined()
  expect(refusalOf('https://127.0.0.1:9000/', allowed)).toBeUndefined()
  expect(refusalOf('https://0x7f.1:9000/', allowed)).toBeUndefined()
  expect(refusalOf('https://localhost.:9000/', allowed)).toBeDefined()
  expect(refusalOf('https://merchant.localhost/', allowed)).toBeDefined()
  expect(refusalOf('https://127.0.0.2/', allowed)).toBeDefined()
  expect(refusalOf('http://localhost:9000/', allowed)?.message).toBe('must be an https URL')
})

// Proves: webhooks/ports-are-limited
test('the port is 443 unless more are configured, also when a webhook is sent', async () => {
  const rules = (...ports: number[]): EndpointRules => ({ allowedHosts: new Set(['localhost']), ports: new Set(ports) })
  const [https, two] = [rules(443), rules(443, 8443)]
  for (const url of ['https://merchant.example/', 'https://merchant.example:443/', 'https://8.8.8.8/', 'https://localhost:9000/'])
    expect(refusalOf(url, https)).toBeUndefined()
  expect(refusalOf('https://merchant.example:8443/', two)).toBeUndefined()
  expect(refusalOf('https://merchant.example:22/', two)).toEqual({ message: 'must have port 443 or 8443' })
  expect(await makeCheckEndpointUrl(resolvesTo(['8.8.8.8']), https)('https://merchant.example:8443/')).toBe('must have port 443')

  const resolve = resolvesTo(['8.8.8.8'])
  const client = createWebhookClient({ timeoutMs: 5000, rules: https, extraCa: [], resolve, now: () => new Date() })
  const result = await client.send({ url: 'https://merchant.example:8443/', headers: {}, body: '{}' })
  await client.close()
  expect(result).toMatchObject({ status_code: null, error: 'address_refused' })
})

test('an address is a literal, a name is not', () => {
  expect(addressLiteralOf('merchant.example')).toBeUndefined()
  expect(addressLiteralOf('8.8.8.8')).toBe('8.8.8.8')
  expect(addressLiteralOf('[::1]')).toBe('::1')
  expect(hostKindOf('merchant.example')).toBeUndefined()
})
