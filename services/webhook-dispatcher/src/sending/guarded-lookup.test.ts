import type { LookupAddress } from 'node:dns'
import { asLookedUp } from '../../test/address-table.ts'
import { AddressRefused, guardedLookup, makeResolvePublic, type Resolve } from './guarded-lookup.ts'

const resolvesTo =
  (...addresses: string[]): Resolve =>
  async () =>
    asLookedUp(addresses)

/** The addresses that a socket gets to connect to. */
const givenTo = (resolve: Resolve): Promise<string | LookupAddress[]> =>
  new Promise((given, failed) => {
    const lookup = guardedLookup(makeResolvePublic(resolve, new Set()))
    lookup('merchant.example', { all: true }, (error, found) => (error ? failed(error) : given(found)))
  })

// Proves: webhooks/private-addresses-of-a-mixed-name-refused
test.each([
  ['10.0.0.1', '8.8.8.8', '64:ff9b::8.8.8.8'],
  ['8.8.8.8', '127.0.0.1'],
  ['::1', '169.254.169.254', '8.8.8.8'],
])('of a name with public and private addresses (%s, %s, …) a connection knows the public one only', async (...addresses) => {
  const resolve = resolvesTo(...addresses)
  await expect(givenTo(resolve)).resolves.toEqual([{ address: '8.8.8.8', family: 4 }])
})

// Proves: webhooks/private-addresses-refused-at-connect
test('the checked address is the one that is connected to: there is no second lookup with another answer', async () => {
  const answers = ['8.8.8.8', '127.0.0.1']
  const rebinding: Resolve = async () => asLookedUp(answers.splice(0, 1))
  await expect(givenTo(rebinding)).resolves.toEqual([{ address: '8.8.8.8', family: 4 }])
  expect(answers).toEqual(['127.0.0.1'])
  await expect(givenTo(rebinding)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED', kind: 'loopback' })
})

test('a name without a public address is refused', async () => {
  const resolvePublic = makeResolvePublic(resolvesTo('10.0.0.1', '::1'), new Set())
  await expect(resolvePublic('rebind.example')).rejects.toBeInstanceOf(AddressRefused)
})

// Proves: webhooks/allowed-hosts-never-plain-http
test('a host allowed for development keeps its addresses', async () => {
  const resolvePublic = makeResolvePublic(resolvesTo('127.0.0.1'), new Set(['localhost']))
  await expect(resolvePublic('localhost')).resolves.toHaveLength(1)
  await expect(resolvePublic('localhost2')).rejects.toBeInstanceOf(AddressRefused)
})
