/** Exit code 0 when the service in this container answers `/healthz` with 200: the images have no curl, and need none. */
import { get } from 'node:http'

const TIMEOUT_MS = 4_000

const request = get({ host: '127.0.0.1', port: process.env.PORT, path: '/healthz', timeout: TIMEOUT_MS }, (response) => {
  process.exit(response.statusCode === 200 ? 0 : 1)
})
request.on('timeout', () => request.destroy(new Error('no answer in time')))
request.on('error', () => process.exit(1))
