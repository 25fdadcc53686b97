/**
 * Checks the connector at a URL against the network contract; with part of a check's name, only those checks. Exit 1 when a check
 * fails, 2 when none ran.
 */
import { readSigningSecret } from '@gateway/contracts'
import { readConfig } from '@gateway/service-kit'
import { startCallbackReceiver } from './callback-receiver.ts'
import { connectTo } from './connector.ts'
import { instruments, runContract, type CheckResult } from './run-contract.ts'

const USAGE =
  'usage: NETWORK_API_KEY=… NETWORK_CALLBACK_SECRET=whsec_… npm run test:connector -- <url of the connector> [part of a check’s name]'

const [url = '', part] = process.argv.slice(2)

process.exitCode = await main(url, part).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return 2
})

async function main(url: string, part?: string): Promise<number> {
  if (!/^https?:\/\//u.test(url) || !URL.canParse(url)) throw new Error(USAGE)
  const { apiKey, secret, host, port, patienceMs, ...testData } = readConfig(process.env, (env) => ({
    apiKey: env.secretText('NETWORK_API_KEY', 'text', 'API key of the connector'),
    secret: env.secretText('NETWORK_CALLBACK_SECRET', 'whsec_…', 'Secret that signs callbacks'),
    host: env.text('CALLBACK_HOST', '127.0.0.1', 'Address that takes callbacks'),
    port: env.port('CALLBACK_PORT', 8099, 'Port that takes callbacks'),
    vpa: env.text('CONNECTOR_VPA', 'success@sandbox', 'VPA that succeeds'),
    declinedVpa: env.text('CONNECTOR_DECLINED_VPA', 'failure@sandbox', 'VPA that is declined'),
    card: env.text('CONNECTOR_CARD', '4242424242424242', 'Card number that succeeds'),
    bank: env.text('CONNECTOR_BANK', 'PASS', 'Bank that succeeds'),
    patienceMs: env.integer('CONNECTOR_PATIENCE_MS', 15_000, 'How long a payment, callback or reversal may take', {
      max: 999_999,
    }),
  }))
  const callbacks = await startCallbackReceiver({ host, port, key: readSigningSecret(secret) })
  console.log(`${url} is checked, callbacks are taken at ${callbacks.url}`)
  try {
    const bench = { connector: connectTo(url, apiKey), callbacks, instruments: instruments(testData), patienceMs }
    const show = ({ name, breach }: CheckResult): void =>
      console.log(breach === undefined ? `ok    ${name}` : `FAIL  ${name}: ${breach}`)
    const results = await runContract(bench, show, part)
    if (results.length === 0) throw new Error(`no check has “${part}” in its name`)
    const failed = results.filter(({ breach }) => breach !== undefined).length
    console.log(`${results.length} checks, ${results.length - failed} ok, ${failed} failed`)
    return failed === 0 ? 0 : 1
  } finally {
    await callbacks.stop()
  }
}
