import type { LookupAddress } from 'node:dns'
import { AddressRefused, makeResolvePublic } from './guarded-lookup.ts'

const resolvesTo =
  (...addresses: string[]) =>
  async (): Promise<LookupAddress[]> =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

test('only the public addresses of a name are left', async () => {
  const resolvePublic = makeResolvePublic(resolvesTo('10.0.0.1', '8.8.8.8', '64:ff9b::8.8.8.8'), new Set())
  await expect(resolvePublic('shop.example')).resolves.toEqual([{ address: '8.8.8.8', family: 4 }])
})

test('a name without a public address is refused', async () => {
  const resolvePublic = makeResolvePublic(resolvesTo('10.0.0.1', '::1'), new Set())
  await expect(resolvePublic('rebind.example')).rejects.toBeInstanceOf(AddressRefused)
})

test('a host opened for development keeps its addresses', async () => {
  const resolvePublic = makeResolvePublic(resolvesTo('127.0.0.1'), new Set(['localhost']))
  await expect(resolvePublic('localhost')).resolves.toHaveLength(1)
  await expect(resolvePublic('localhost2')).rejects.toBeInstanceOf(AddressRefused)
})
