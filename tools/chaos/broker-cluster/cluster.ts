import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@gateway/testkit'
import { ensureRootfs, nativeDataDir } from '@gateway-infra/offline/backing/rootfs'
import { askRabbitMq, startEpmd, startRabbitMqNode, type RabbitMqOptions } from '@gateway-infra/offline/backing/rabbitmq'
import { choosePorts } from '@gateway-infra/system/ports'
import type { Progress } from '@gateway-infra/system/progress'
import { sendSignal } from '@gateway-infra/system/processes'
import { openProcessBook } from '@gateway-infra/system/process-book'

export interface QueueMembers {
  readonly name: string
  /** Name of the node that leads it. */
  readonly leader: string
  readonly members: readonly string[]
}

export type BrokerCluster = Awaited<ReturnType<typeof startBrokerCluster>>

export interface ClusterOptions {
  readonly stateDir: string
  readonly cacheDir: string
  readonly progress: Progress
  readonly size: number
}

/** A RabbitMQ cluster of several nodes on this machine. */
export async function startBrokerCluster({ stateDir, cacheDir, progress, size }: ClusterOptions) {
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
