/**
 * `npm run chaos:broker-cluster [-- 15]`: kills the one of three RabbitMQ nodes that leads the dispatcher's queue, in the middle of
 * creating, paying and delivering (the argument is orders per second). Fails when a request, order, status change or webhook is
 * lost. While a queue has no leader, orders may be refused for now.
 */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTemporaryBacking, withTemporaryState } from '@gateway-infra/local/temporary-backing'
import { ensureRootfs, nativeDataDir, nativeIsImpossible } from '@gateway-infra/offline/backing/rootfs'
import { eventually } from '@gateway/testkit'
import { askRabbitMq, startEpmd, startRabbitMqNode, type RabbitMqOptions } from '@gateway-infra/offline/backing/rabbitmq'
import type { Paths } from '@gateway-infra/system/paths'
import { choosePorts } from '@gateway-infra/system/ports'
import type { Progress } from '@gateway-infra/system/progress'
import { sendSignal } from '@gateway-infra/system/processes'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { runCommand } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'
import type { Receiver } from '@gateway-tools/load/receiver'
import { withFleet, type Fleet } from '../fleet/fleet.ts'
import { reportAccount, underLoad } from '../load/account.ts'

const NODES = 3
const AFTER_KILL_MS = 25_000
const LOOK_EVERY_MS = 10

await runCommand(async (context, [perSecond = '15']) => {
  const impossible = await nativeIsImpossible()
  if (impossible !== undefined) throw new UserError(`A cluster on one machine needs Debian's packages: ${impossible}.`)
  const { paths, progress } = context
  const { cacheDir } = paths
  return withTemporaryBacking(context, ({ mongoUrl, kind }) =>
    // The cluster has a state directory of its own, beside that of the database. Its nodes are native processes in any case.
    withTemporaryState({ stateDir: join(paths.stateDir, 'cluster'), cacheDir }, async (stateDir) => {
      const cluster = await progress.during(`starting ${NODES} brokers`, async () =>
        startBrokerCluster({ stateDir, cacheDir }, progress, NODES),
      )
      try {
        const backing = { mongoUrl, amqpUrl: cluster.amqpUrl, kind }
        return await withFleet({ backing, replicas: 1 }, (fleet) => killLeader(fleet, cluster, Number(perSecond)))
      } finally {
        await cluster.stop()
      }
    }),
  )
})

async function killLeader(fleet: Fleet, cluster: BrokerCluster, perSecond: number): Promise<boolean> {
  const ours = (await cluster.queues()).filter(({ members }) => Array.isArray(members))
  const whole = ours.filter(({ members }) => members.length === NODES)
  const leader = ours.find(({ name }) => name.endsWith('webhook-dispatcher.status-changed'))?.leader ?? ''
  const { account, result: longestPauseMs } = await underLoad(fleet, { perSecond, aroundMs: 8000 }, async (receiver) => {
    const ending = new AbortController()
    const watching = longestPause(receiver, ending.signal)
    cluster.kill(leader)
    console.log(`killed ${leader}, which leads the dispatcher's queue`)
    await sleep(AFTER_KILL_MS)
    ending.abort()
    return Math.round(await watching)
  })
  const queues = { queues: ours.length, with_three_members: whole.length }
  const isFlawless = reportAccount(account, { longest_pause_ms: longestPauseMs, ...queues })
  return isFlawless && whole.length === ours.length && ours.length > 0
}

/** The longest time without a new webhook, in milliseconds; at most 10 ms too long. */
async function longestPause(receiver: Receiver, ending: AbortSignal): Promise<number> {
  let [longestMs, lastMs, lastCount] = [0, performance.now(), -1]
  while (!ending.aborted) {
    const { unique } = await receiver.call('counts')
    const nowMs = performance.now()
    if (unique !== lastCount) [lastCount, lastMs] = [unique, nowMs]
    longestMs = Math.max(longestMs, nowMs - lastMs)
    await sleep(LOOK_EVERY_MS)
  }
  return longestMs
}

type BrokerCluster = Awaited<ReturnType<typeof startBrokerCluster>>

interface QueueMembers {
  readonly name: string
  /** Name of the node that leads it. */
  readonly leader: string
  readonly members: readonly string[]
}

/** A RabbitMQ cluster of several nodes on this machine. */
async function startBrokerCluster({ stateDir, cacheDir }: Paths, progress: Progress, size: number) {
  const rootfs = await ensureRootfs(cacheDir, progress)
  const book = openProcessBook(stateDir, 'services')
  const [dataDir, logDir] = [nativeDataDir(stateDir), join(stateDir, 'logs')]
  for (const folder of [join(rootfs, dataDir), logDir]) await mkdir(folder, { recursive: true })

  const { epmd: epmdPort } = await choosePorts({ STACK_PORTS: 'auto' })
  const suffix = randomBytes(3).toString('hex')
  const nodeNames = Array.from({ length: size }, (_, index) => `node-${index + 1}-${suffix}`)
  const cluster = { nodeNames, cookie: randomBytes(24).toString('hex') }
  const all: RabbitMqOptions[] = []
  for (const nodeName of nodeNames) {
    const { amqp: port } = await choosePorts({ STACK_PORTS: 'auto' })
    all.push({ rootfs, dataDir, logDir, book, log: progress.log, nodeName, port, epmdPort, cluster })
  }
  const [first] = all
  if (!first) throw new Error('a cluster has nodes')
  const epmd = await startEpmd(first)
  const nodes = await Promise.all(all.map(async (options) => ({ options, ...(await startRabbitMqNode(options)) })))
  await askRabbitMq(first, ['await_online_nodes', String(size)])

  const alive = new Set(nodes)
  return {
    /** Of all nodes, separated by commas. */
    amqpUrl: nodes.map(({ url }) => url).join(','),
    /** As a living node lists them. */
    queues() {
      const args = ['list_queues', '--silent', '--formatter', 'json', 'name', 'leader', 'members']
      return eventually(
        async () => {
          const [node] = alive
          const text = await askRabbitMq(node?.options ?? first, args)
          try {
            // The broker's own JSON.
            return JSON.parse(text) as QueueMembers[]
          } catch {
            // While queues move, the nodes' parts of the answer can come mixed up.
            throw new Error(`the broker's list of queues cannot be read: ${text.slice(0, 200)}`)
          }
        },
        { deadlineMs: 30_000, pauseMs: 500 },
      )
    },
    /** SIGKILL, at once. */
    kill(name: string) {
      const node = nodes.find(({ options }) => name.startsWith(`${options.nodeName}@`))
      if (!node) throw new Error(`${name} is no node of this cluster`)
      alive.delete(node)
      sendSignal(node.broker.pid, 'SIGKILL')
    },
    async stop() {
      await Promise.all(nodes.map(({ broker }) => broker.stop()))
      await epmd.stop()
    },
  }
}
