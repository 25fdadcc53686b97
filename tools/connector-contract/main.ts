/** `npm run test:connector -- <url>`: whether a connector keeps the network contract. One line per check; exit 1 on a failure. */
import { readSigningSecret } from '@gateway/contracts'
import { startCallbackReceiver } from './callback-receiver.ts'
import { connectTo } from './connector.ts'
import { instruments } from './instruments.ts'
import { runContract } from './run-contract.ts'

const USAGE = 'usage: NETWORK_API_KEY=… NETWORK_CALLBACK_SECRET=whsec_… npm run test:connector -- <url of the connector>'

const [url = ''] = process.argv.slice(2)
process.exitCode = await main(url).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return 2
})

async function main(connectorUrl: string): Promise<number> {
  const apiKey = setting('NETWORK_API_KEY', '')
  const secret = setting('NETWORK_CALLBACK_SECRET', '')
  if (!/^https?:\/\//u.test(connectorUrl) || !URL.canParse(connectorUrl) || apiKey === '' || secret === '') throw new Error(USAGE)
  const callbackKey = readSigningSecret(secret)
  const callbacks = await startCallbackReceiver({
    host: setting('CALLBACK_HOST', '127.0.0.1'),
    port: wholeNumber('CALLBACK_PORT', 8099),
    key: callbackKey,
  })
  console.log(`callbacks are awaited at ${callbacks.url}`)
  try {
    const results = await runContract(
      {
        connector: connectTo(connectorUrl, apiKey),
        callbacks,
        instruments: instruments({
          vpa: setting('CONNECTOR_VPA', 'success@sandbox'),
          card: setting('CONNECTOR_CARD', '4242424242424242'),
          bank: setting('CONNECTOR_BANK', 'PASS'),
        }),
        patienceMs: wholeNumber('CONNECTOR_PATIENCE_MS', 15_000),
      },
      ({ name, breach }) => console.log(breach === undefined ? `ok    ${name}` : `FAIL  ${name}: ${breach}`),
    )
    const failed = results.filter(({ breach }) => breach !== undefined).length
    console.log(`${results.length} checks, ${results.length - failed} ok, ${failed} failed`)
    return failed === 0 ? 0 : 1
  } finally {
    await callbacks.stop()
  }
}

function setting(name: string, fallback: string): string {
  return process.env[name] ?? fallback
}

function wholeNumber(name: string, fallback: number): number {
  const text = setting(name, String(fallback))
  if (!/^\d{1,6}$/u.test(text)) throw new Error(`${name} must be a whole number`)
  return Number(text)
}
