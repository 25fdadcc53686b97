import { addressKey, makeClientAddress, networkMatcher, addressPrefix } from './client-address.ts'

test.each([
  ['203.0.113.9', '203.0.113.9', true],
  ['203.0.113.9', '203.0.113.10', false],
  ['::ffff:203.0.113.9', '203.0.113.9', true],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  [undefined, 'nonsense', true],
])('%s and %s have the same key: %s', (one, other, same) => {
  expect(addressKey(one) === addressKey(other)).toBe(same)
})

const requestFrom = (remoteAddress: string, forwarded?: string) => ({
  socket: { remoteAddress },
  headers: { 'x-forwarded-for': forwarded },
})

// Proves: api/rate-limit-by-address
test.each([
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['::ffff:127.0.0.1', '1.1.1.1, 198.51.100.1, 10.1.2.3', '198.51.100.1'],
  ['127.0.0.1', '1.1.1.1, forged', 'forged'],
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '10.0.0.1', '10.0.0.1'],
])('%s with x-forwarded-for %s is %s, when loopback and 10.0.0.0/8 are trusted', (peer, forwarded, address) => {
  expect(makeClientAddress(['loopback', '10.0.0.0/8'])(requestFrom(peer, forwarded))).toBe(address)
})

test('a network matches its addresses, also when they are written as IPv6', () => {
  const matches = networkMatcher(['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'])
  for (const address of ['203.0.113.255', '::ffff:203.0.113.1', '2001:db8:1::1', '198.51.100.7'])
    expect(matches(address)).toBe(true)
  for (const address of ['203.0.114.1', '2001:db9::1', '198.51.100.8', 'nonsense', undefined])
    expect(matches(address)).toBe(false)
})

test.each([
  ['203.0.113.9', '203.0.113.0/24'],
  ['::ffff:203.0.113.9', '203.0.113.0/24'],
  ['2001:db8:1:2::9', '2001:db8:1::/48'],
  ['::1', '0:0:0::/48'],
  ['nonsense', undefined],
  [undefined, undefined],
])('the network of %s is %s', (address, network) => {
  expect(addressPrefix(address)).toBe(network)
})
