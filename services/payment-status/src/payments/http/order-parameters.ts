import { compile, ORDER_ID_SCHEMA } from '@gateway/contracts'

/** They become part of a path to order-api, so only the characters of ids are allowed. */
export const orderParameters = compile({
  type: 'object',
  required: ['merchantId', 'orderId'],
  properties: { merchantId: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' }, orderId: ORDER_ID_SCHEMA },
})
