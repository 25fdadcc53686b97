import { Unavailable, ValidationFailed } from '@gateway/contracts'
import { makeLimitRegistrations } from './limit-registrations.ts'

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'registered',
    (error: unknown) => (error instanceof Unavailable || error instanceof ValidationFailed ? error.code : 'other'),
  )

function start() {
  const clock = { ms: 0 }
  const lookedUp: string[] = []
  const limit = makeLimitRegistrations(() => new Date(clock.ms))
  const lookUp = async (url: string) => {
    lookedUp.push(url)
    await Promise.resolve()
    if (url.includes('internal')) throw new ValidationFailed([{ field: '/url', message: 'must lead to a public address' }])
    if (url.includes('busy')) throw new Unavailable('endpoint_busy', 'Try again')
    return { url, since: new Date(clock.ms) }
  }
  const register = (merchantId: string, url: string) => limit(merchantId, () => lookUp(url))
  return { clock, lookedUp, register }
}
const count = (codes: readonly string[], code: string) => codes.filter((one) => one === code).length

// Proves: webhooks/refused-urls-are-limited
test('of 120 refused URLs at once, 20 are looked up; another merchant is not affected', async () => {
  const { register, lookedUp } = start()
  const calls = Array.from({ length: 120 }, (_, index) => codeOf(register('mer_1', `https://internal-${index}/`)))
  const codes = await Promise.all(calls)
  expect([count(codes, 'validation_failed'), count(codes, 'rate_limited')]).toEqual([20, 100])
  expect(lookedUp).toHaveLength(20)
  expect(await codeOf(register('mer_2', 'https://internal/'))).toBe('validation_failed')
})

// Proves: webhooks/refused-urls-are-limited
test('then one a minute, and the refusal says when', async () => {
  const { register, clock } = start()
  for (let index = 0; index < 20; index++) await codeOf(register('mer_1', 'https://internal/'))
  clock.ms += 15_000
  await expect(register('mer_1', 'https://shop.example/')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 45 })
  clock.ms += 45_000
  expect(await codeOf(register('mer_1', 'https://shop.example/'))).toBe('registered')
  expect(await codeOf(register('mer_1', 'https://internal/'))).toBe('validation_failed')
  expect(await codeOf(register('mer_1', 'https://shop.example/'))).toBe('rate_limited')
})

test('a registration that is made, or fails for another reason than its URL, costs nothing', async () => {
  const { register } = start()
  const calls = Array.from({ length: 120 }, (_, index) =>
    register('mer_1', index % 2 === 0 ? 'https://shop.example/' : 'https://busy/'),
  )
  await Promise.allSettled(calls)
  for (let index = 0; index < 20; index++) expect(await codeOf(register('mer_1', 'https://internal/'))).toBe('validation_failed')
})
