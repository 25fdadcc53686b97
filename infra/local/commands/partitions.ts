import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BROKER_SERVICES, PARTITION_COUNTS, type BrokerService } from '@gateway/contracts'
import { describeStates, nextOf, roundsOf, stepsTo, type ServiceState, type Step } from '@gateway/partitions/steps'
import type { Command, Context } from '@gateway-infra/system/command'
import { ROOT } from '@gateway-infra/system/paths'
import { unlessStopped } from '@gateway-infra/system/stopping'
import { UserError } from '@gateway-infra/system/user-error'
import { databaseName } from '../services.ts'
import { readStack } from '../stack-file.ts'

const USAGE = `npm run partitions [-- <${PARTITION_COUNTS.join('|')}>] [--rest-seconds <seconds>] [--exec '<command with {service}>'] [--without-ledger]
It works on the running stack, on MONGO_URL and AMQP_URL, or by --exec in the containers of a deployment.`

const DEFAULT_REST_SECONDS = 600

interface Options {
  readonly partitions: number | undefined
  readonly restSeconds: number
  readonly exec: string | undefined
  readonly services: readonly BrokerService[]
}

/** `partitions [<number>]`: shows or changes the partitions of the queues of events (docs/operations/partitions.md). */
export const partitions: Command = async (context, args) => {
  const options = readOptions(args)
  const states = (): Promise<ServiceState[]> => readStates(options, context)
  const before = await states()
  const { partitions: wanted } = options
  if (wanted === undefined) {
    console.log(describeStates(before).join('\n'))
    return 0
  }
  const steps = stepsTo(wanted, before)
  if ('refused' in steps) throw new UserError(steps.refused)
  for (const round of roundsOf(steps)) {
    const areDone = await Promise.all(round.map((step) => takeStep(step, wanted, options, context)))
    if (areDone.includes(false))
      throw new UserError('That step is not complete. Run the same command again, or with the old number to go back.')
  }
  const after = await states()
  console.log(describeStates(after).join('\n'))
  console.log(nextOf(wanted, after) ?? `done: ${wanted} partitions`)
  return 0
}

async function takeStep(step: Step, wanted: number, options: Options, context: Context): Promise<boolean> {
  if (step.kind === 'rest') {
    console.log(`waiting ${options.restSeconds} s, so that nothing is on its way to a closed partition`)
    await unlessStopped(() => sleep(options.restSeconds * 1000))
    return true
  }
  const { code } = await runIn(step.service, [step.kind, String(wanted)], options, context)
  return code === 0
}

/** What all services say. Throws a `UserError` when one says nothing. */
function readStates(options: Options, context: Context): Promise<ServiceState[]> {
  return Promise.all(
    options.services.map(async (service) => {
      const { code, output } = await runIn(service, ['state'], options, context)
      if (code !== 0) throw new UserError(`${service} does not say how far it is`)
      // Lines of a log may come before it.
      return JSON.parse(output.trim().split('\n').at(-1) ?? '') as ServiceState
    }),
  )
}

interface Ended {
  readonly code: number | null
  readonly output: string
}

/** Runs a service's `partitions.ts`: here, or by `--exec` in a container of the service. What a step says is shown. */
async function runIn(service: BrokerService, args: readonly string[], { exec }: Options, context: Context): Promise<Ended> {
  const [command = '', ...before] =
    exec === undefined
      ? [process.execPath, join(ROOT, 'services', service, 'src/partitions.ts')]
      : [...exec.split(/\s+/u).map((part) => part.replaceAll('{service}', service)), 'node', 'src/partitions.ts']
  const env = exec === undefined ? environmentOf(service, context) : context.env
  const child = spawn(command, [...before, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  void context.stopRequested.then((signal) => child.kill(signal))
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    if (args[0] !== 'state') process.stdout.write(chunk)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

/** The service's own database, and the broker: of the running stack, or of the environment. */
function environmentOf(service: BrokerService, { env, paths }: Context): NodeJS.ProcessEnv {
  const stack = readStack(paths.stateDir)
  const { MONGO_URL = stack?.mongo_url, AMQP_URL = stack?.amqp_url } = env
  if (MONGO_URL === undefined || AMQP_URL === undefined)
    throw new UserError('No database and broker: set MONGO_URL and AMQP_URL, or start the stack.')
  const DATABASE = databaseName(env['DATABASE_PREFIX'] ?? '', service)
  return { ENVIRONMENT: 'sandbox', LOG_LEVEL: 'error', ...env, MONGO_URL, AMQP_URL, DATABASE }
}

function readOptions(args: readonly string[]): Options {
  const options = {
    'rest-seconds': { type: 'string', default: String(DEFAULT_REST_SECONDS) },
    exec: { type: 'string' },
    'without-ledger': { type: 'boolean', default: false },
  } as const
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [count, ...more] = positionals
    const wanted = PARTITION_COUNTS.find((one) => String(one) === count)
    const restSeconds = Number(values['rest-seconds'])
    if (more.length > 0 || (count !== undefined && wanted === undefined)) throw new Error('one number of partitions')
    if (!/^\d{1,6}$/u.test(values['rest-seconds'])) throw new Error('--rest-seconds takes whole seconds')
    const services = BROKER_SERVICES.filter((service) => service !== 'ledger' || !values['without-ledger'])
    return { partitions: wanted, restSeconds, exec: values.exec, services }
  } catch (error) {
    throw new UserError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  }
}
