import fc from 'fast-check'
import { addressLiteralOf, isPublicAddress, isRefusedHost, refusalOf } from './address-guard.ts'

const none = new Set<string>()

test.each([
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['unspecified', '0.0.0.0'],
  ['"this" network', '0.1.2.3'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['link-local', '169.254.1.1'],
  ['cloud metadata', '169.254.169.254'],
  ['cloud metadata', '168.63.129.16'],
  ['cloud metadata', '100.100.100.200'],
  ['cloud metadata', '192.0.0.192'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['carrier-grade NAT', '100.127.255.255'],
  ['protocol assignments', '192.0.0.1'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['6to4 relay', '192.88.99.1'],
  ['benchmarking', '198.18.0.1'],
  ['benchmarking', '198.19.255.255'],
  ['multicast', '224.0.0.1'],
  ['multicast', '239.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['mapped', '::ffff:127.0.0.1'],
  ['mapped', '::ffff:8.8.8.8'],
  ['mapped', '::ffff:7f00:1'],
  ['compatible', '::127.0.0.1'],
  ['compatible', '::8.8.8.8'],
  ['translated', '::ffff:0:127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64', '64:ff9b::8.8.8.8'],
  ['local NAT64', '64:ff9b:1::1'],
  ['6to4', '2002:7f00:1::'],
  ['6to4', '2002:808:808::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['link-local', 'fe80::1'],
  ['link-local with zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['unique local', 'fc00::1'],
  ['unique local', 'fd00:ec2::254'],
  ['multicast', 'ff02::1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['benchmarking', '2001:2::1'],
  ['ORCHID', '2001:20::1'],
  ['discard', '100::1'],
  ['not given out', '4000::1'],
  ['segment routing', '5f00::1'],
  ['no address', 'example.com'],
  ['no address', ''],
])('%s %s is refused', (_kind, address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450:4009::200e'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

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
      ]
      for (const form of forms) expect([form, isPublicAddress(form)]).toEqual([form, false])
    }),
  )
})

test.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://127.0.0.1./',
  'https://0/',
  'https://①②⑦.⓪.⓪.①/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://shop.localhost/',
  'https://printer.local/',
  'https://metadata.google.internal/',
])('%s is refused', (url) => {
  expect(refusalOf(url, none)).toBe('must lead to a public address')
})

test.each([
  ['http://shop.example/', 'must be an https URL'],
  ['ftp://shop.example/', 'must be an https URL'],
  ['https://user@shop.example/', 'must not hold a user name or password'],
  ['https://:secret@shop.example/', 'must not hold a user name or password'],
  ['https://', 'must be a valid URL'],
  ['nonsense', 'must be a valid URL'],
])('%s: %s', (url, refusal) => {
  expect(refusalOf(url, none)).toBe(refusal)
})

test.each([
  'https://shop.example/hook?a=1',
  'https://shop.example:8443/hook',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
])('%s is taken', (url) => {
  expect(refusalOf(url, none)).toBeUndefined()
})

test('a host opened for development is open by its exact name, and never over plain HTTP', () => {
  const allowed = new Set(['localhost', '127.0.0.1'])
  expect(refusalOf('https://localhost:9000/', allowed)).toBeUndefined()
  expect(refusalOf('https://127.0.0.1:9000/', allowed)).toBeUndefined()
  expect(refusalOf('https://0x7f.1:9000/', allowed)).toBeUndefined()
  expect(refusalOf('https://localhost.:9000/', allowed)).toBeDefined()
  expect(refusalOf('https://shop.localhost/', allowed)).toBeDefined()
  expect(refusalOf('https://127.0.0.2/', allowed)).toBeDefined()
  expect(refusalOf('http://localhost:9000/', allowed)).toBe('must be an https URL')
})

test('a name is no literal, an address is', () => {
  expect(addressLiteralOf('shop.example')).toBeUndefined()
  expect(addressLiteralOf('8.8.8.8')).toBe('8.8.8.8')
  expect(addressLiteralOf('[::1]')).toBe('::1')
  expect(isRefusedHost('shop.example')).toBe(false)
})
