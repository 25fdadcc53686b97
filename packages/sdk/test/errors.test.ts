import { ApiError, ConnectionError, GatewayError, SignatureError, TimeoutError, WaitTimeout } from '@gateway/sdk'

const errors = [
  new ApiError('refused', { code: 'order_id_conflict', status: 409 }),
  new ConnectionError('cut', { outcomeUnknown: true }),
  new TimeoutError('late'),
  new WaitTimeout('waited', undefined),
  new SignatureError('forged', 'signature_mismatch'),
]
const classes = [ApiError, ConnectionError, TimeoutError, WaitTimeout, SignatureError]

// Proves: sdk/errors-are-branded-errors
test('every error is an Error, a GatewayError and of its own class only', () => {
  for (const [index, error] of errors.entries()) {
    expect(error).toBeInstanceOf(Error)
    expect(error).toBeInstanceOf(GatewayError)
    expect(classes.map((one) => error instanceof one)).toEqual(classes.map((_, at) => at === index))
    expect(error.name).toBe(classes[index]?.name)
    expect(error.stack).toContain('errors.test.ts')
  }
})

test('other values are no errors of this package', () => {
  for (const value of [new Error('x'), {}, undefined, 'GatewayError', { name: 'GatewayError' }])
    expect(value instanceof GatewayError).toBe(false)
})

test('an error of another copy of the package is recognised by its brand', () => {
  const brand = Symbol.for('@gateway/sdk/error')
  const foreign = Object.assign(new Error('refused'), { [brand]: ['ApiError', 'GatewayError'], code: 'x' })
  expect(foreign instanceof ApiError).toBe(true)
  expect(foreign instanceof GatewayError).toBe(true)
  expect(foreign instanceof TimeoutError).toBe(false)
})
