import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'

// Proves: operate/compose-publishes-apart
test('compose publishes the gateway, the operators’ ports and the engines on addresses of their own, this machine by default', () => {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8')
  const published = [...text.matchAll(/ports: \['\$\{(\w+):-([\d.]+)\}:\$\{(\w+)_PORT:-\d+\}:\d+'\]/gu)]
  expect(text.match(/\bports:/gu)).toHaveLength(published.length)
  // A step that runs once would publish nothing.
  expect([...text.matchAll(/^ {2}([\w-]+)-indexes:\n(?: {4}.*\n)*/gmu)].filter(([step]) => step.includes('ports:'))).toEqual([])
  expect(Object.fromEntries(published.map(([, variable, address, what]) => [what, `${variable} ${address}`]))).toEqual({
    MONGO: 'ENGINE_BIND_ADDRESS 127.0.0.1',
    AMQP: 'ENGINE_BIND_ADDRESS 127.0.0.1',
    AUTH_TOKEN_OPERATOR: 'OPERATOR_BIND_ADDRESS 127.0.0.1',
    WEBHOOK_DISPATCHER_OPERATOR: 'OPERATOR_BIND_ADDRESS 127.0.0.1',
    LEDGER_OPERATOR: 'OPERATOR_BIND_ADDRESS 127.0.0.1',
    NETWORK_SIMULATOR: 'BIND_ADDRESS 127.0.0.1',
    API_GATEWAY: 'BIND_ADDRESS 127.0.0.1',
  })
})
