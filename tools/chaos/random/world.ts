/** A fleet of its own whose every part can be made to fail. */
import { serviceEnvironment, type ServiceDefinition } from '@gateway-infra/local/services'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import type { Context } from '@gateway-infra/system/command'
import { ROOT } from '@gateway-infra/system/paths'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { sendSignal } from '@gateway-infra/system/processes'
import { UserError } from '@gateway-infra/system/user-error'
import { startTcpProxy, type TcpProxy } from '@gateway/testkit/tcp-proxy'
import { startFleet, type Fleet } from '../fleet/fleet.ts'
import { LINKS, REPLICAS, type Link } from './plan.ts'

export interface World {
  readonly fleet: Fleet
  linkOf(link: Link): TcpProxy
  /** SIGKILL; its supervisor starts it again. False when it is not running. */
  killEngine(name: string): boolean
  /** Runs `rabbitmqctl`; resolves to its output. */
  askBroker(args: readonly string[]): Promise<string>
}

/** Longer than every fault, so that no delivery is given up and no payment declared unconfirmed during the run. */
const ENV = {
  WEBHOOK_RETRY_DELAYS: '1s,2s,4s,8s,15s,30s,30s,30s',
  ENQUIRY_GIVE_UP: '15m',
  FINAL_ENQUIRY_DELAYS: '5s,20s',
  WEBHOOK_BREAKER_MAX_OPEN: '5s',
}

/** Runs `work` on engines and services of its own. Needs the engines as processes, since it kills them. */
export async function withWorld<T>(context: Context, work: (world: World) => Promise<T>): Promise<T> {
  return withTemporaryBacking(context, async (backing, stateDir) => {
    const { askBroker } = backing
    if (!askBroker) throw new UserError('The database and the broker must be processes here: unset MONGO_URL, stop Docker.')
    const links = await Promise.all(LINKS.map(openLink))
    const environment: typeof serviceEnvironment = (service, wiring, callers) =>
      throughLinks(service, serviceEnvironment(service, wiring, callers), links)
    try {
      const releaseOf = () => ({ root: ROOT, environment })
      const fleet = await startFleet({ backing, replicas: REPLICAS, releaseOf, env: ENV })
      try {
        return await work({
          fleet,
          askBroker,
          linkOf(wanted) {
            const found = links.find(({ ends }) => ends === wanted)
            if (!found) throw new Error(`there is no link ${wanted.join(' → ')}`)
            return found.link
          },
          killEngine(name) {
            const engines = openProcessBook(stateDir, 'backing').running()
            const engine = engines.find((one) => one.name === name)
            if (engine) sendSignal(engine.pid, 'SIGKILL')
            return engine !== undefined
          },
        })
      } finally {
        await fleet.stop({ keepLogs: true })
      }
    } finally {
      await Promise.all(links.map(async ({ link }) => link.stop()))
    }
  })
}

/** The variable that holds the address of each callee. */
const VARIABLES: Readonly<Record<Link[1], string>> = {
  'auth-token': 'AUTH_TOKEN_URL',
  'order-api': 'ORDER_API_URL',
  'payment-status': 'PAYMENT_STATUS_URL',
  'network-simulator': 'NETWORK_URL',
  'api-gateway': 'CALLBACK_URL',
  mongo: 'MONGO_URL',
  amqp: 'AMQP_URL',
}

/** The way from a caller to a callee. */
interface OpenLink {
  readonly ends: Link
  readonly link: TcpProxy
  /** The port is set before the first connection. */
  readonly target: { readonly targetHost: string; targetPort: number }
}

async function openLink(ends: Link): Promise<OpenLink> {
  const target = { targetHost: '127.0.0.1', targetPort: 0 }
  return { ends, target, link: await startTcpProxy(target) }
}

/** Puts the caller's links between it and what it calls. */
function throughLinks({ name }: ServiceDefinition, env: NodeJS.ProcessEnv, links: readonly OpenLink[]): NodeJS.ProcessEnv {
  const changed = { ...env }
  for (const { ends, link, target } of links.filter(({ ends: [caller] }) => caller === name)) {
    const variable = VARIABLES[ends[1]]
    const url = new URL(changed[variable] ?? '')
    target.targetPort = Number(url.port)
    url.port = String(link.port)
    changed[variable] = url.href.replace(/\/$/u, '')
  }
  return changed
}
