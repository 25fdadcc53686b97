/** The connector that platform teams copy passes every check of its capabilities. */
import type { Server } from 'node:http'
import { once } from 'node:events'
import { formatSigningSecret, readSigningSecret } from '@gateway/contracts'
import { startConnector } from '@gateway-infra/examples/connector'
import { connectTo, instruments, runContract, startCallbackReceiver } from '../src/run-contract.ts'

const apiKey = 'network-api-key-of-thirty-two-characters'
const callbackSecret = formatSigningSecret(Buffer.alloc(32, 7))
let receiver: Awaited<ReturnType<typeof startCallbackReceiver>>
let connector: Server

beforeAll(async () => {
  receiver = await startCallbackReceiver({ host: '127.0.0.1', port: 0, key: readSigningSecret(callbackSecret) })
  connector = startConnector({ port: 0, apiKey, callbackUrl: receiver.url, callbackSecret })
  await once(connector, 'listening')
})
afterAll(async () => {
  connector.close()
  connector.closeAllConnections()
  await receiver.stop()
})

// Proves: connector/example-passes-every-check
test('the example connector passes every check, those of refunds included', async () => {
  const address = connector.address()
  if (address === null || typeof address === 'string') throw new Error('a listening server has an address')
  const results = await runContract({
    connector: connectTo(`http://127.0.0.1:${address.port}`, apiKey),
    callbacks: receiver,
    instruments: instruments(),
    patienceMs: 5000,
  })
  expect(results.filter(({ breach }) => breach !== undefined)).toEqual([])
  expect(results.filter(({ name }) => name.startsWith('refund')).length).toBeGreaterThanOrEqual(9)
})
