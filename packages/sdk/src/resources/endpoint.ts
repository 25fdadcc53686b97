import { OPERATIONS } from '../generated/operations.ts'
import type { Operation } from '../http/operation.ts'
import type { Transport } from '../http/transport.ts'
import type { Endpoint, RegisteredEndpoint, RotatedSecret, TestResult } from '../generated/types.ts'

/** The URL that receives this merchant's webhooks. */
export interface EndpointCalls {
  /**
   * Sets the URL for orders created from now on. `signing_secret` is in the answer to the first registration only.
   *
   * @example
   * const { signing_secret } = await gateway.endpoint.register('https://merchant.example/webhooks')
   */
  register(url: string): Promise<RegisteredEndpoint>
  /** @example const { url, disabled } = await gateway.endpoint.get() */
  get(): Promise<Endpoint>
  /**
   * Ends a disablement. Webhooks that were missed come with `deliveries.recover`.
   *
   * @example await gateway.endpoint.enable()
   */
  enable(): Promise<Endpoint>
  /**
   * Makes a new signing secret. Webhooks carry signatures of both until `previous_secret_until`: give both to `verify` meanwhile.
   *
   * @example const { signing_secret } = await gateway.endpoint.rotateSecret()
   */
  rotateSecret(): Promise<RotatedSecret>
  /**
   * Sends a test webhook and tells how the endpoint answered.
   *
   * @example console.log(await gateway.endpoint.test()) // { status_code: 200, duration_ms: 41, error: null }
   */
  test(): Promise<TestResult>
}

/**
 * The URL that receives the webhooks of refunds created after `register`. It has a signing secret of its own: check them with
 * `verifyRefund`.
 *
 * @example
 * const { signing_secret } = await gateway.refundEndpoint.register('https://merchant.example/refund-webhooks')
 */
export type RefundEndpointCalls = Omit<EndpointCalls, 'test'>

export function createEndpoint(send: Transport): EndpointCalls {
  const call = callerOf(send)
  return {
    register: (url) => call(OPERATIONS.registerEndpoint, { url }),
    get: () => call(OPERATIONS.readEndpoint),
    enable: () => call(OPERATIONS.enableEndpoint),
    rotateSecret: () => call(OPERATIONS.rotateSecret),
    test: () => call(OPERATIONS.sendTestEvent),
  }
}

export function createRefundEndpoint(send: Transport): RefundEndpointCalls {
  const call = callerOf(send)
  return {
    register: (url) => call(OPERATIONS.registerRefundEndpoint, { url }),
    get: () => call(OPERATIONS.readRefundEndpoint),
    enable: () => call(OPERATIONS.enableRefundEndpoint),
    rotateSecret: () => call(OPERATIONS.rotateRefundSecret),
  }
}

function callerOf(send: Transport) {
  return async <T>(operation: Operation, body?: object): Promise<T> => {
    const answer = await send(operation, body === undefined ? {} : { body })
    return (answer.body as { data: T }).data
  }
}
