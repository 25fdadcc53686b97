import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createNetworkClient } from './connector.ts'

/** A server that answers with its own name. */
async function serverCalled(name: string) {
  const server = createServer((_request, response) => response.end(JSON.stringify(name)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

// Proves: connector/proxy-only-when-configured
test('a proxy of the environment counts only when it is configured', async () => {
  const [connector, proxy] = [await serverCalled('connector'), await serverCalled('proxy')]
  const { http_proxy: before } = process.env
  process.env['http_proxy'] = proxy.url
  const answers = []
  for (const usesProxy of [false, true])
    answers.push((await createNetworkClient({ url: connector.url, usesProxy }).get('/x')).data)
  if (before === undefined) delete process.env['http_proxy']
  else process.env['http_proxy'] = before
  for (const { server } of [connector, proxy]) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  expect(answers).toEqual(['connector', 'proxy'])
})
