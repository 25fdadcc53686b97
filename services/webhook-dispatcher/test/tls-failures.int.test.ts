import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net'
import { ATTEMPT_ERRORS } from '@gateway/contracts'
import { createCa, issueServerCertificate } from '@gateway/testkit'
import { createWebhookClient } from '../src/sending/webhook-client.ts'

const HOSTS = ['localhost']
const DAY_MS = 24 * 60 * 60 * 1000
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS)
const ca = await createCa()
const unknownCa = await createCa('Unknown authority')
const genuine = await issueServerCertificate({ ca, hosts: HOSTS })
const unknown = await issueServerCertificate({ ca: unknownCa, hosts: HOSTS })
const valid = (fromDays: number, toDays: number) =>
  issueServerCertificate({ ca, hosts: HOSTS, validity: { notBefore: inDays(fromDays), notAfter: inDays(toDays) } })

const client = createWebhookClient({
  timeoutMs: 5000,
  rules: { allowedHosts: new Set(HOSTS), ports: 'any' },
  extraCa: [ca.cert],
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  now: () => new Date(),
})
const servers: Server[] = []
afterAll(async () => {
  for (const server of servers) server.close()
  await client.close()
})

/** The error of a webhook that is sent to this server. */
async function errorFrom(server: Server): Promise<string | null> {
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return (await client.send({ url: `https://localhost:${port}/`, headers: {}, body: '{}' })).error
}
const secure = (options: ServerOptions) => createServer(options, (_request, response) => void response.end())
/** Node's default security level refuses TLS 1.1. */
const OLD_TLS = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
const RSA_ONLY = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' } as const

// Proves: webhooks/tls-failures-have-reasons
test.each([
  [null, 'a genuine certificate', () => secure(genuine)],
  ['certificate_expired', 'an expired certificate', async () => secure(await valid(-30, -1))],
  ['certificate_not_yet_valid', 'a certificate of tomorrow', async () => secure(await valid(1, 30))],
  [
    'certificate_wrong_name',
    'a certificate for another host',
    async () => secure(await issueServerCertificate({ ca, hosts: ['other.example'] })),
  ],
  ['certificate_chain_incomplete', 'a certificate without that of its issuer', () => secure(unknown)],
  [
    'certificate_untrusted',
    'a chain that ends at an own authority',
    () => secure({ key: unknown.key, cert: `${unknown.cert}\n${unknownCa.cert}` }),
  ],
  ['certificate_invalid', 'an authority’s certificate as that of a server', () => secure(unknownCa)],
  ['tls_version_unsupported', 'TLS 1.1 only', () => secure({ ...genuine, ...OLD_TLS })],
  ['tls_failed', 'no common cipher', () => secure({ ...genuine, ...RSA_ONLY })],
  ['not_tls', 'plain HTTP', () => createPlainServer((_request, response) => void response.end())],
  ['not_tls', 'another protocol', () => createTcpServer((socket) => void socket.end('220 mail.example ready\r\n'))],
  ['connection_closed', 'a server that hangs up', () => createTcpServer((socket) => void socket.end())],
] as const)('%s: %s', async (error, _what, server) => {
  expect(await errorFrom(await server())).toBe(error)
})

// Proves: webhooks/tls-failures-have-reasons
test('the documentation for merchants explains every reason', () => {
  const page = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
  for (const error of ATTEMPT_ERRORS.keys()) expect(page).toContain(`\`${error.replace('address_refused: ', '')}\``)
})
