import { readSigningSecret, SIGNATURE_HEADERS, verifySignature } from '@gateway/contracts'
import { receiverAddressFor, startWebhookReceiver, type ReceivedWebhook } from '@gateway/testkit/webhook-receiver'
import { runCommand, runScript, type Command, type Context } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'
import { findComposed } from '../compose/composed.ts'
import { readAuthority, readStack } from '../stack-file.ts'

/** Without arguments a webhook receiver; else the dispatcher's commands for operators, on the running stack or a named deployment. */
const webhooks: Command = (context, args) => {
  if (args.length === 0) return receive(context)
  const { env, paths } = context
  const operator = env['WEBHOOK_OPERATOR_URL'] ? undefined : readStack(paths.stateDir)?.webhook_operator
  const ofStack = operator && { WEBHOOK_OPERATOR_URL: operator.url, OPERATOR_TOKEN: operator.token }
  return runScript('services/webhook-dispatcher/scripts/operate.ts', args, { ...context, env: { ...env, ...ofStack } })
}

/** A webhook receiver for the seeded merchant: verifies and prints what arrives, until Ctrl-C. */
async function receive(context: Context): Promise<number> {
  const { paths, stopRequested } = context
  const stack = readStack(paths.stateDir) ?? readStack((await findComposed(context)) ?? paths.stateDir)
  if (!stack) throw new UserError('no gateway is running: npm start first')
  const { webhook_url: url, webhook_secret: secret } = stack.merchant
  const { port } = new URL(url)
  if (port === '')
    throw new UserError(
      `${url} is registered, which names no port of this machine. Set WEBHOOK_URL at npm start to receive here.`,
    )
  const receiver = await startWebhookReceiver({
    ca: readAuthority(stack),
    port: Number(port),
    ...receiverAddressFor(url),
  }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new UserError(
      `${url}: the port is in use, perhaps by another npm run webhooks. Set WEBHOOK_URL at npm start to use another one.`,
    )
  })
  receiver.respondWith((webhook) => {
    console.log(describe(webhook, secret))
    return { status: 200 }
  })
  console.log(`waiting for webhooks at ${url}; stop with Ctrl-C`)
  await stopRequested
  await receiver.stop()
  return 0
}

function describe({ headers, body, receivedAt }: ReceivedWebhook, secret: string): string {
  const header = (name: string): string => String(headers[name] ?? '')
  const [id, timestamp] = [header(SIGNATURE_HEADERS.id), header(SIGNATURE_HEADERS.timestamp)]
  const message = { id, timestamp, signature: header(SIGNATURE_HEADERS.signature), body }
  const verdict = verifySignature(message, [readSigningSecret(secret)], receivedAt) ? 'signature ok' : 'SIGNATURE WRONG'
  return `\n${id}  attempt ${header('webhook-attempt')}  ${verdict}\n${JSON.stringify(JSON.parse(body.toString()), null, 2)}`
}

await runCommand(webhooks)
