import { ApiError, type Endpoint, type Gateway, type RefundEndpointCalls } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import { printable } from '../io.ts'
import type { PgwCommand } from '../pgw-command.ts'

export function addEndpoint(program: PgwCommand): void {
  const endpoint = program.command('endpoint').description('the URL that receives your webhooks')
  addCalls(endpoint, (gateway) => gateway.endpoint)
  addTest(endpoint)
  const refunds = program.command('refund-endpoint').description('the URL that receives the webhooks of refunds')
  addCalls(refunds, (gateway) => gateway.refundEndpoint)
}

/** What both endpoints have. */
function addCalls(endpoint: PgwCommand, callsOf: (gateway: Gateway) => RefundEndpointCalls): void {
  endpoint
    .command('get')
    .description('show the URL; exits with 1 when none is registered')
    .does(async ({ output, gateway }) => {
      const current = await callsOf(gateway()).get().catch(asNegative)
      output.result(current, describe(current))
    })
  endpoint
    .command('register <url>')
    .description('set the URL for what is created from now on; prints the signing secret at the first time')
    .does(async ({ output, gateway }, url: string) => {
      const registered = await callsOf(gateway()).register(url)
      const { signing_secret: secret } = registered
      output.result(registered, describe(registered) + (secret === undefined ? '' : `\nsecret    ${secret}`))
    })
  endpoint
    .command('enable')
    .description('use the URL again after it was disabled')
    .does(async ({ output, gateway }) => {
      const enabled = await callsOf(gateway()).enable().catch(asNegative)
      output.result(enabled, describe(enabled))
    })
  endpoint
    .command('rotate-secret')
    .description('make a new signing secret; the old one signs too for 24 hours')
    .does(async ({ output, gateway }) => {
      const rotated = await callsOf(gateway()).rotateSecret()
      output.result(rotated, rotated.signing_secret)
      output.note(`the previous secret signs, too, until ${rotated.previous_secret_until}`)
    })
}

function addTest(endpoint: PgwCommand): void {
  endpoint
    .command('test')
    .description('send a test webhook; exits with 1 unless the URL answers 200')
    .does(async ({ output, gateway }) => {
      const result = await gateway().endpoint.test()
      const { status_code: status, duration_ms: ms, error } = result
      output.result(result, `${printable(error ?? `answered ${String(status)}`)} in ${ms} ms`)
      if (status !== 200) throw new CliError('The endpoint did not answer 200', EXIT.negative)
    })
}

function asNegative(error: unknown): never {
  if (error instanceof ApiError && error.code === 'endpoint_not_found')
    throw new CliError('No endpoint is registered', EXIT.negative)
  throw error
}

function describe({ url, since, disabled }: Endpoint): string {
  const state = disabled ? `disabled since ${disabled.at}: ${disabled.reason}` : 'in use'
  return [`url       ${printable(url)}`, `since     ${since}`, `state     ${state}`].join('\n')
}
