import { addressKey } from './client-address.ts'

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
