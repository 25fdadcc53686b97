import { requestIdFrom } from './correlation.ts'

test.each(['req-12345678', '1795600000008', '20261126103000123', '7f0a1c9e-aaaa-4bbb-8ccc-1234567890ab'])(
  'a request id %s of the caller is kept',
  (id) => {
    expect(requestIdFrom(id)).toBe(id)
  },
)

// Proves: faults/merchant-text-holds-no-card
test.each([undefined, 'short', 'a b c d e f', '4111111111111111', '4111-1111-1111-1111', 'req_4111.1111.1111.1111'])(
  'instead of %s there is a new request id, since logs and events repeat it',
  (id) => {
    expect(requestIdFrom(id)).toMatch(/^[A-Za-z0-9_-]{22}$/u)
  },
)
