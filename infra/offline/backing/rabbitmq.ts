/** RabbitMQ, run from the root file system by `chroot`, with its own epmd. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { keepRunning, type KeptProcess } from '@gateway-infra/system/keep-running'
import { DISTRIBUTION_OFFSET } from '@gateway-infra/system/ports'
import { pingAmqp } from './backing.ts'
import { userInside, type Native } from './rootfs.ts'

export interface RabbitMqOptions extends Native {
  /** The node's permanent name: its data belongs to it. */
  readonly nodeName: string
  readonly port: number
  readonly epmdPort: number
  /** Users and permissions in RabbitMQ's JSON, imported at each start; without them there is only `guest`. */
  readonly definitions?: string | undefined
  /** For a cluster: all nodes and their shared cookie. */
  readonly cluster?: { readonly nodeNames: readonly string[]; readonly cookie: string }
}

const READY_WITHIN_MS = 120_000
const STOP_WITHIN_MS = 30_000
const ASKED_WITHIN_MS = 120_000
const MAX_ANSWER_BYTES = 1024 * 1024
const execute = promisify(execFile)
/** Without this, idle schedulers spin and take a core from the other processes of a small machine. */
const NO_BUSY_WAITING = '+sbwt none +sbwtdcpu none +sbwtdio none'

/** Starts epmd and the broker, and waits until the broker accepts connections. */
export async function startRabbitMq(options: RabbitMqOptions): Promise<{ stop(): Promise<void> }> {
  await using started = new AsyncDisposableStack()
  const epmd = await startEpmd(options)
  started.defer(() => epmd.stop())
  const { broker } = await startRabbitMqNode(options)
  started.defer(() => broker.stop())
  const running = started.move()
  return { stop: () => running.disposeAsync() }
}

/** In the foreground as our child: the broker would start a daemon that outlives it. */
export async function startEpmd(options: Omit<RabbitMqOptions, 'cluster'>): Promise<KeptProcess> {
  const epmd = ['/usr/bin/epmd', '-port', String(options.epmdPort), '-address', '127.0.0.1']
  const start = await startOptions(options, 'epmd', epmd)
  return keepRunning({ ...start, isReady: () => Promise.resolve(true), readyWithinMs: READY_WITHIN_MS })
}

/** Starts one broker beside a running epmd and waits until it accepts connections. A node of a cluster is not started again. */
export async function startRabbitMqNode(options: RabbitMqOptions): Promise<{ url: string; broker: KeptProcess }> {
  await prepareFolder(options, folderOf(options))
  const url = `amqp://guest:guest@127.0.0.1:${options.port}`
  const broker = await keepRunning({
    ...(await startOptions(options, 'rabbitmq', ['/usr/lib/rabbitmq/bin/rabbitmq-server'])),
    isReady: () => pingAmqp(url),
    readyWithinMs: READY_WITHIN_MS,
    stopWithinMs: STOP_WITHIN_MS,
    restarts: options.cluster === undefined,
  })
  return { url, broker }
}

/** Runs `rabbitmqctl` against one of our nodes; resolves to its output. */
export async function askRabbitMq(options: RabbitMqOptions, args: readonly string[]): Promise<string> {
  const start = await startOptions(options, 'rabbitmqctl', ['/usr/lib/rabbitmq/bin/rabbitmqctl', ...args])
  const limits = { timeout: ASKED_WITHIN_MS, maxBuffer: MAX_ANSWER_BYTES }
  return (await execute(start.command, start.args, { env: start.env, ...limits })).stdout
}

function folderOf({ dataDir, nodeName, cluster }: RabbitMqOptions): string {
  return `${dataDir}/${cluster ? nodeName : 'rabbitmq'}`
}

async function startOptions(options: RabbitMqOptions, name: string, program: readonly string[]) {
  const { rootfs, book, log, logDir, nodeName, port, epmdPort } = options
  const { chroot } = await userInside(rootfs, 'rabbitmq')
  const folder = folderOf(options)
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: folder,
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `${nodeName}@localhost`,
    RABBITMQ_CONFIG_FILE: `${folder}/rabbitmq.conf`,
    RABBITMQ_ENABLED_PLUGINS_FILE: `${folder}/enabled_plugins`,
    RABBITMQ_MNESIA_BASE: `${folder}/nodes`,
    RABBITMQ_LOG_BASE: `${folder}/log`,
    RABBITMQ_LOGS: '-',
    RABBITMQ_PID_FILE: `${folder}/pid`,
    RABBITMQ_DIST_PORT: String(port + DISTRIBUTION_OFFSET),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: NO_BUSY_WAITING,
    // The start script is replaced by the Erlang machine instead of waiting for it.
    RUNNING_UNDER_SYSTEMD: 'true',
  }
  return { name, command: 'chroot', args: [...chroot, ...program], env, logFile: join(logDir, 'rabbitmq.log'), book, log }
}

async function prepareFolder({ rootfs, port, definitions, cluster }: RabbitMqOptions, folder: string): Promise<void> {
  const { uid, gid } = await userInside(rootfs, 'rabbitmq')
  const outside = join(rootfs, folder)
  await mkdir(outside, { recursive: true, mode: 0o700 })
  const settings = [
    `listeners.tcp.1 = 127.0.0.1:${port}`,
    'distribution.listener.interface = 127.0.0.1',
    'disk_free_limit.absolute = 200MB',
    // Without /proc, these two settings are needed for the memory and disk alarms.
    'vm_memory_calculation_strategy = allocated',
    `total_memory_available_override_value = ${totalmem()}`,
    ...(definitions === undefined ? [] : [`load_definitions = ${folder}/definitions.json`]),
    ...(cluster ? clusterSettings(cluster.nodeNames) : []),
  ]
  const files: [name: string, text: string, mode?: number][] = [
    ['rabbitmq.conf', `${settings.join('\n')}\n`],
    ['enabled_plugins', '[].\n'],
  ]
  if (definitions !== undefined) files.push(['definitions.json', definitions, 0o600])
  const cookie = cluster?.cookie ?? randomBytes(24).toString('hex')
  if (!existsSync(join(outside, '.erlang.cookie'))) files.push(['.erlang.cookie', cookie, 0o400])
  await chown(outside, uid, gid)
  for (const [name, text, mode] of files) {
    await writeFile(join(outside, name), text, { mode })
    await chown(join(outside, name), uid, gid)
  }
  // Also of an earlier start that was killed before it had done so.
  await chown(join(outside, '.erlang.cookie'), uid, gid)
}

function clusterSettings(nodeNames: readonly string[]): string[] {
  return [
    'cluster_formation.peer_discovery_backend = classic_config',
    ...nodeNames.map((name, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${name}@localhost`),
  ]
}
