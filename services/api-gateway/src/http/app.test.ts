import { createRateLimiter } from '@gateway/service-kit/limits'
import { makeLimitPublic } from './app.ts'

/** The status of a request from the address, while there is room for the buckets of two addresses. */
function start() {
  let address = ''
  const limit = makeLimitPublic(
    () => createRateLimiter(1, () => 0, 2),
    () => address,
  )
  return (from: string, path: string): number => {
    address = from
    try {
      limit({ path, headers: {}, socket: {} as never })
      return 200
    } catch {
      return 429
    }
  }
}

// Proves: api/limits-survive-floods-of-keys
test('without room for more addresses, a flood from one network does not use up the limit of another network', () => {
  const get = start()
  const flood = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'].map((address) => get(address, '/openapi.json'))
  expect(flood).toEqual([200, 200, 200, 429])
  expect(get('203.0.113.7', '/openapi.json')).toBe(200)
})

test('health has a limit of its own', () => {
  const get = start()
  expect(['/docs', '/docs', '/healthz', '/readyz'].map((path) => get('10.0.0.1', path))).toEqual([200, 429, 200, 429])
})
