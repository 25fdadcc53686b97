import { createRecorder } from './recorder.ts'

const answer = (status: number, headers = {}, text = '{"code":"overloaded"}') => ({ status, headers, text, tookMs: 7 })

test('counts what was accepted, shed and failed, and begins anew when taken', async () => {
  const { record, take } = createRecorder()
  const create = { what: 'create', expected: [201], isMeasured: true }
  expect(await record(create, () => Promise.resolve(answer(201)))).toMatchObject({ status: 201 })
  expect(await record(create, () => Promise.resolve(answer(503, { 'retry-after': '1' })))).toBeUndefined()
  await record(create, () => Promise.resolve(answer(503)))
  await record(create, () => Promise.reject(Object.assign(new Error('cut'), { code: 'ECONNRESET' })))
  expect(take()).toEqual({
    ...{ sent: 4, shed: 1, failed: 2, latenciesMs: [7] },
    failures: { 'create: 503 overloaded': 2, 'create: ECONNRESET': 1 },
  })
  expect(take().sent).toBe(0)
})
