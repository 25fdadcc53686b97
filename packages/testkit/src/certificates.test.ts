import { once } from 'node:events'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCa, issueServerCertificate } from './certificates.ts'

/** Resolves to the status when the TLS client accepts the server's certificate. */
async function getStatus(port: number, host: string, ca: string): Promise<number | undefined> {
  const outgoing = request({ port, host: '127.0.0.1', servername: host, ca, agent: false }).end()
  const [response] = (await once(outgoing, 'response')) as [{ statusCode?: number; resume(): void }]
  response.resume()
  return response.statusCode
}

test('a client that trusts the authority accepts the names in the certificate; other clients and names are refused', async () => {
  const ca = await createCa()
  const stranger = await createCa()
  const server = createServer(await issueServerCertificate({ ca, hosts: ['localhost', '127.0.0.1'] }), (_request, response) => {
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  try {
    await expect(getStatus(port, 'localhost', ca.cert)).resolves.toBe(200)
    await expect(getStatus(port, '', ca.cert)).resolves.toBe(200)
    await expect(getStatus(port, 'shop.example', ca.cert)).rejects.toThrow(/altnames/)
    await expect(getStatus(port, 'localhost', stranger.cert)).rejects.toThrow(/certificate/)
  } finally {
    server.close()
  }
})
