import { randomBytes } from 'node:crypto'
import { readConfig } from '@gateway/service-kit'
import { readCheckoutConfig } from './config.ts'

const complete = {
  ENVIRONMENT: 'production',
  PAYMENT_STATUS_URL: 'https://status.example',
  SERVICE_TOKEN: randomBytes(32).toString('base64url'),
  NETWORK_URL: 'https://network.example',
  NETWORK_API_KEY: randomBytes(32).toString('base64url'),
  PUBLIC_URL: 'https://pay.example/',
  CHECKOUT_LINK_KEY: randomBytes(32).toString('base64'),
}
const read = (more: Record<string, string> = {}) => readConfig({ ...complete, ...more }, readCheckoutConfig)

test('reads a complete configuration', () => {
  expect(read()).toMatchObject({
    environment: 'production',
    port: 8104,
    paymentStatusUrl: 'https://status.example',
    networkUrl: 'https://network.example',
    publicUrl: 'https://pay.example',
  })
})

// Proves: faults/production-refuses-plain-http
test.each([
  ['PAYMENT_STATUS_URL', 'http://status.example'],
  ['SERVICE_TOKEN', 'short'],
  ['NETWORK_URL', 'http://network.example'],
  ['NETWORK_URL', ''],
  ['NETWORK_API_KEY', 'short'],
  ['PUBLIC_URL', 'http://pay.example'],
  ['PUBLIC_URL', 'pay.example'],
  ['CHECKOUT_LINK_KEY', 'c2hvcnQ='],
  ['CHECKOUT_LINK_KEY', `${complete.CHECKOUT_LINK_KEY},c2hvcnQ=`],
  ['CHECKOUT_LINK_KEY', ''],
])('production refuses to start with %s=%s', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(new RegExp(`${name} `, 'u'))
})
