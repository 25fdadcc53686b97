import { Agent, type Dispatcher } from 'undici'
import { exchange } from './exchange.ts'

const LIMITS = { timeoutMs: 10_000, maxBodyBytes: 8 }
const REQUEST = { origin: 'https://shop.example', path: '/hooks', method: 'POST', body: Buffer.from('{}') } as const

/** undici as `dispatch` shows it: the test calls the handler, and sees why the request was aborted. */
function fakeDispatcher() {
  const aborted: Error[] = []
  let handler: Dispatcher.DispatchHandler = {}
  const controller = { abort: (reason: Error) => void aborted.push(reason) } as Dispatcher.DispatchController
  return {
    aborted,
    dispatch: (_request: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler): boolean => {
      handler = given
      return true
    },
    starts: () => handler.onRequestStart?.(controller, {}),
    answers: (status: number, headers = {}) => handler.onResponseStart?.(controller, status, headers),
    sends: (text: string) => handler.onResponseData?.(controller, Buffer.from(text)),
    ends: () => handler.onResponseEnd?.(controller, {}),
    fails: (error: Error) => handler.onResponseError?.(controller, error),
  }
}

afterEach(() => void jest.useRealTimers())

describe('exchange', () => {
  test('resolves with status, headers and body', async () => {
    const server = fakeDispatcher()
    const result = exchange(server, REQUEST, LIMITS)
    server.starts()
    server.answers(103, { link: '</style.css>' })
    server.answers(200, { 'retry-after': '5' })
    server.sends('o')
    server.sends('k')
    server.ends()
    expect(await result).toEqual({ statusCode: 200, headers: { 'retry-after': '5' }, body: Buffer.from('ok'), error: undefined })
    expect(server.aborted).toEqual([])
  })

  test('cuts a body that is too long, and closes its connection', async () => {
    const server = fakeDispatcher()
    const result = exchange(server, REQUEST, LIMITS)
    server.starts()
    server.answers(500)
    server.sends('12345')
    server.sends('67890')
    server.sends('never read')
    expect(await result).toEqual({ statusCode: 500, headers: {}, body: Buffer.from('12345678'), error: undefined })
    expect(server.aborted).toHaveLength(1)
  })

  test('keeps the status of an answer that breaks off', async () => {
    const server = fakeDispatcher()
    const result = exchange(server, REQUEST, LIMITS)
    server.starts()
    server.answers(200)
    server.sends('o')
    server.fails(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }))
    expect(await result).toMatchObject({ statusCode: 200, error: { code: 'UND_ERR_SOCKET' } })
  })

  test('ends at its deadline, in the middle of an answer, too', async () => {
    jest.useFakeTimers()
    const server = fakeDispatcher()
    const result = exchange(server, REQUEST, LIMITS)
    server.starts()
    server.answers(200)
    jest.advanceTimersByTime(LIMITS.timeoutMs)
    expect(await result).toMatchObject({ statusCode: 200, error: { code: 'ETIMEDOUT' } })
    expect(server.aborted).toHaveLength(1)
  })

  test('a request that still waits for its connection at the deadline is never sent', async () => {
    jest.useFakeTimers()
    const server = fakeDispatcher()
    const result = exchange(server, REQUEST, LIMITS)
    jest.advanceTimersByTime(LIMITS.timeoutMs)
    expect(await result).toMatchObject({ statusCode: null, error: { code: 'ETIMEDOUT' } })
    // An abort would close the connection that the request has just got.
    expect(server.starts).toThrow('the deadline of the exchange is over')
    expect(server.aborted).toEqual([])
  })

  test('resolves when the request cannot even be dispatched', async () => {
    const { error } = await exchange(new Agent(), { ...REQUEST, headers: { 'x-broken': 'a\nb' } }, LIMITS)
    expect(error).toMatchObject({ code: 'UND_ERR_INVALID_ARG' })
  })
})
