/** Network faults, each with a way to end it. */
import { eventually } from '@gateway/testkit'
import { run } from '@gateway-infra/system/run'
import type { ServiceName } from '@gateway-infra/local/services'
import { PROXIED, proxyName, type ContainerStack } from './stack.ts'
import type { Toxic } from './toxiproxy.ts'

export interface Fault {
  readonly name: string
  begin(stack: ContainerStack): Promise<void>
  end(stack: ContainerStack): Promise<void>
}

type Engine = keyof typeof PROXIED
const NAMES = { mongo: 'MongoDB', rabbitmq: 'RabbitMQ' } as const
const LATENCY: Toxic = { type: 'latency', attributes: { latency: 250, jitter: 150 } }
const RESET: Toxic = { type: 'reset_peer', attributes: { timeout: 300 } }
/** Packets are dropped without a reset. */
const SILENCE: Toxic = { type: 'timeout', attributes: { timeout: 0 } }

export const FAULTS: readonly Fault[] = [
  ...(['mongo', 'rabbitmq'] as const).flatMap((engine) => [
    poisoned(`${NAMES[engine]} is slow`, engine, LATENCY),
    poisoned(`connections to ${NAMES[engine]} are reset`, engine, RESET),
    partition(engine),
    refused(engine),
    frozen(engine),
  ]),
  offTheNetwork('payment-status'),
  offTheNetwork('webhook-dispatcher'),
]

function poisoned(name: string, engine: Engine, toxic: Toxic): Fault {
  return {
    name,
    begin: async ({ proxies }) => each(engine, async (proxy) => proxies.poison(proxy, toxic)),
    end: async ({ proxies }) => each(engine, async (proxy) => proxies.cure(proxy)),
  }
}

/** Packets are dropped. Afterwards the connections that existed are closed. */
function partition(engine: Engine): Fault {
  const dropped = poisoned(`packets to and from ${NAMES[engine]} are dropped`, engine, SILENCE)
  return {
    ...dropped,
    async end(stack) {
      await each(engine, async (proxy) => stack.proxies.enable(proxy, false))
      await dropped.end(stack)
      await each(engine, async (proxy) => stack.proxies.enable(proxy, true))
    },
  }
}

function refused(engine: Engine): Fault {
  return {
    name: `${NAMES[engine]} refuses connections`,
    begin: async ({ proxies }) => each(engine, async (proxy) => proxies.enable(proxy, false)),
    end: async ({ proxies }) => each(engine, async (proxy) => proxies.enable(proxy, true)),
  }
}

/** The process is paused; its machine still accepts packets. */
function frozen(engine: Engine): Fault {
  return {
    name: `${NAMES[engine]} is paused`,
    // On a busy machine the kernel may need longer to stop all of its threads than the engine waits for.
    begin: async ({ containers }) => eventually(() => docker('pause', containers[engine].getId())),
    end: async ({ containers }) => docker('unpause', containers[engine].getId()),
  }
}

/** One service loses the database, the broker and the other services. */
function offTheNetwork(service: ServiceName): Fault {
  return {
    name: `${service} is off the network`,
    begin: async ({ containers, networkName }) => docker('network', 'disconnect', networkName, containers[service].getId()),
    end: async ({ containers, networkName }) =>
      docker('network', 'connect', '--alias', service, networkName, containers[service].getId()),
  }
}

async function each(engine: Engine, act: (proxy: string) => Promise<void>): Promise<void> {
  await Promise.all(PROXIED[engine].map(async (service) => act(proxyName(service, engine))))
}

async function docker(...args: readonly string[]): Promise<void> {
  await run('docker', args)
}
