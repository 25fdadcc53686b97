import type { Command } from 'commander'
import { ApiError, type Endpoint, type RefundEndpointCalls } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import { printable } from '../io.ts'
import { contextOf } from '../context.ts'

export function addEndpoint(program: Command): void {
  const endpoint = program.command('endpoint').description('the URL that receives your webhooks')
  addCalls(endpoint, (command) => contextOf(command).gateway().endpoint)
  addTest(endpoint)
  const refunds = program.command('refund-endpoint').description('the URL that receives the webhooks of refunds')
  addCalls(refunds, (command) => contextOf(command).gateway().refundEndpoint)
}

/** What both endpoints have. */
function addCalls(endpoint: Command, callsOf: (command: Command) => RefundEndpointCalls): void {
  endpoint
    .command('get')
    .description('show the URL; exits with 1 when none is registered')
    .action(async (_options: object, command: Command) => {
      const current = await callsOf(command).get().catch(asNegative)
      contextOf(command).output.result(current, describe(current))
    })
  endpoint
    .command('register <url>')
    .description('set the URL for what is created from now on; prints the signing secret at the first time')
    .action(async (url: string, _options: object, command: Command) => {
      const registered = await callsOf(command).register(url)
      const { signing_secret: secret } = registered
      contextOf(command).output.result(
        registered,
        [describe(registered), ...(secret === undefined ? [] : [`secret    ${secret}`])].join('\n'),
      )
    })
  endpoint
    .command('enable')
    .description('use the URL again after it was disabled')
    .action(async (_options: object, command: Command) => {
      const enabled = await callsOf(command).enable().catch(asNegative)
      contextOf(command).output.result(enabled, describe(enabled))
    })
  endpoint
    .command('rotate-secret')
    .description('make a new signing secret; the old one signs too for 24 hours')
    .action(async (_options: object, command: Command) => {
      const rotated = await callsOf(command).rotateSecret()
      const { output } = contextOf(command)
      output.result(rotated, rotated.signing_secret)
      output.note(`the previous secret signs, too, until ${rotated.previous_secret_until}`)
    })
}

function addTest(endpoint: Command): void {
  endpoint
    .command('test')
    .description('send a test webhook; exits with 1 unless the URL answers 200')
    .action(async (_options: object, command: Command) => {
      const { output, gateway } = contextOf(command)
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
