import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { choosePorts, DISTRIBUTION_OFFSET, portVariable, requireFree } from './ports.ts'

test('ports have defaults, and each has a variable of its own', async () => {
  const ports = await choosePorts({ API_GATEWAY_PORT: '9000', AUTH_TOKEN_OPERATOR_PORT: '9001' })

  expect(ports).toMatchObject({ 'api-gateway': 9000, 'auth-token-operator': 9001, 'order-api': 8102, mongo: 27117 })
  expect(portVariable('webhook-dispatcher')).toBe('WEBHOOK_DISPATCHER_PORT')
})

test('automatic ports differ from one another and leave room for the broker’s peers', async () => {
  const ports = await choosePorts({ STACK_PORTS: 'auto', CHECKOUT_PORT: '9002' })

  expect(ports.checkout).toBe(9002)
  expect(ports.amqp + DISTRIBUTION_OFFSET).toBeLessThan(32_768)
  expect(new Set(Object.values(ports)).size).toBe(Object.keys(ports).length)
  await expect(requireFree(ports, ['api-gateway', 'amqp'])).resolves.toBeUndefined()
})

test.each([
  [{ STACK_PORTS: 'yes' }, /STACK_PORTS is "yes"/],
  [{ API_GATEWAY_PORT: 'http' }, /API_GATEWAY_PORT is "http"/],
  [{ API_GATEWAY_PORT: '0' }, /from 1 to 65535/],
  [{ AMQP_PORT: '50000' }, /from 1 to 45535/],
])('%j is refused with its reason', async (env, reason) => {
  await expect(choosePorts(env)).rejects.toThrow(reason)
})

test('a port in use is named together with the variable that moves it', async () => {
  const other = createServer()
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = other.address() as AddressInfo
  try {
    const ports = await choosePorts({ STACK_PORTS: 'auto', ORDER_API_PORT: String(port) })
    await expect(requireFree(ports, ['order-api', 'checkout'])).rejects.toThrow(
      `${port} (order-api; set ORDER_API_PORT to move it)`,
    )
  } finally {
    other.close()
  }
})
