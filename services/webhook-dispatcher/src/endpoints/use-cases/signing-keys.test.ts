import { formatSigningSecret } from '@gateway/contracts'
import { createSealer } from '@gateway/service-kit'
import { endpointIdIn } from '../domain/endpoint-id.ts'
import { makeSigningKeysOf } from './signing-keys.ts'

const now = new Date('2026-01-01T00:00:00Z')
const later = new Date('2026-01-01T12:00:00Z')
const sealer = createSealer(new Map([['k1', Buffer.alloc(32, 1)]]))
const lost = createSealer(new Map([['k0', Buffer.alloc(32, 2)]]))
const sealedBy = (by: typeof sealer, byte: number): string =>
  by.seal(Buffer.from(formatSigningSecret(Buffer.alloc(32, byte))), 'mer_1')
const endpoint = (current: string, earlier: string) => ({
  id: endpointIdIn('mer_1'),
  registrations: [],
  secrets: [
    { sealed: current, until: null },
    { sealed: earlier, until: later },
  ],
  health: [],
})

// Proves: webhooks/secret-cannot-be-opened
test('a secret that cannot be opened gives no key; without the current key there is none', () => {
  const signingKeysOf = makeSigningKeysOf(sealer, 10)
  expect(signingKeysOf(endpoint(sealedBy(sealer, 3), sealedBy(sealer, 4)), now)).toHaveLength(2)
  expect(signingKeysOf(endpoint(sealedBy(sealer, 3), sealedBy(lost, 4)), now)).toHaveLength(1)
  expect(signingKeysOf(endpoint(sealedBy(lost, 3), sealedBy(sealer, 4)), now)).toEqual([])
  expect(signingKeysOf(endpoint('damaged', sealedBy(sealer, 4)), now)).toEqual([])
})
