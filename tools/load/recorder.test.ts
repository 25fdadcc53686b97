import { ApiError } from '@gateway/sdk'
import { createRecorder } from './recorder.ts'

const refusal = (retryAfterMs?: number) => new ApiError('No', { status: 503, code: 'overloaded', retryAfterMs })

test('counts what was accepted, shed and failed, and begins anew when taken', async () => {
  const { record, take } = createRecorder()
  const create = { what: 'create', isMeasured: true }
  expect(await record(create, () => Promise.resolve('created'))).toBe('created')
  expect(await record(create, () => Promise.reject<string>(refusal(1000)))).toBeUndefined()
  await record(create, () => Promise.reject(refusal()))
  await record(create, () => Promise.reject(Object.assign(new Error('cut'), { code: 'ECONNRESET' })))
  expect(take()).toEqual({
    ...{ sent: 4, shed: 1, failed: 2, latenciesMs: [expect.any(Number)] },
    failures: { 'create: 503 overloaded': 2, 'create: ECONNRESET': 1 },
  })
  expect(take().sent).toBe(0)
})
