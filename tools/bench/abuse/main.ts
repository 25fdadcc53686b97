/**
 * `npm run bench:abuse`: hostile neighbours beside honest traffic on one stack. The last line is one JSON object; the exit code is
 * 1 when a figure is not as good as wanted (docs/performance.md).
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { runCommand } from '@gateway-infra/system/command'
import { rateLimits } from '@gateway-tools/load/measured-stack'
import { rounded } from '@gateway-tools/load/statistics'
import { withBench } from '../payments/stack.ts'
import { worstBodyRatio } from './bodies.ts'
import { floodWithCallbacks, floodWithFreshTokens, floodWithLinks, floodWithTokens } from './floods.ts'
import { recoverFlood } from './recover.ts'
import { slowBodies, slowDns } from './slow.ts'
import { countLockedOut, isOutOfCredentials, isOutOfEndpoint } from './takeover.ts'
import { pipelinedFloods, slowReaders } from './unread.ts'
import { openWorld, type AbuseWorld } from './world.ts'

/** Journeys of honest shoppers and merchants per second while the attackers flood. */
const HONEST_PER_SECOND = 10
const MERCHANTS = 10

/** In the order of the last line. */
const WANTED: Readonly<Record<string, (figure: number) => boolean>> = {
  junk_tokens_exchanged_ratio: (figure) => figure <= 0.1,
  cached_merchant_success: (figure) => figure === 1,
  exchanges_over_limit: (figure) => figure === 0,
  forged_links_limited: (figure) => figure >= 0.9,
  unsigned_callbacks_limited: (figure) => figure >= 0.9,
  slow_dns_throughput_ratio: (figure) => figure >= 0.9,
  slow_bodies_p99_ratio: (figure) => figure <= 2,
  takeover_locked_out: (figure) => figure === 0,
  pipelining_growth_mb: (figure) => figure <= 60,
  slow_readers_refused_others: (figure) => figure === 0,
  recover_others_p99_ratio: (figure) => figure <= 3,
  credentials_locked_out: (figure) => figure === 0,
  worst_body_ratio: (figure) => figure <= 8,
}

async function measure(world: AbuseWorld): Promise<Readonly<Record<string, number>>> {
  const honest = world.load.call('paced', 'journey', { perSecond: HONEST_PER_SECOND, durationMs: Infinity })
  const floods = {
    ...(await floodWithTokens(world)),
    exchanges_over_limit: await floodWithFreshTokens(world),
    forged_links_limited: await floodWithLinks(world),
    unsigned_callbacks_limited: await floodWithCallbacks(world),
    pipelining_growth_mb: await pipelinedFloods(world),
    slow_readers_refused_others: await slowReaders(world),
    takeover_locked_out: await countLockedOut(world, isOutOfEndpoint),
    credentials_locked_out: await countLockedOut(world, isOutOfCredentials),
  }
  await world.load.call('stop')
  const { sent, failures } = await honest
  await world.attacker.close()
  if (Object.keys(failures).length > 0) throw new Error(`honest callers were refused: ${JSON.stringify(failures)}`)
  console.error(`${sent} honest calls during the floods, none refused`)

  const webhooks = await slowDns(world)
  console.error('webhooks per second, without names that hang and beside them:', webhooks)
  const pages = await slowBodies(world)
  console.error('p99 of page loads in ms, without slow bodies and beside them:', pages)
  const recoveries = await recoverFlood(world)
  console.error('p99 of recover in ms, without another merchant’s flood and beside it:', recoveries)
  return {
    ...floods,
    slow_dns_throughput_ratio: webhooks.ratio,
    slow_bodies_p99_ratio: pages.ratio,
    recover_others_p99_ratio: recoveries.ratio,
    worst_body_ratio: await worstBodyRatio(world),
  }
}

await runCommand(async (context) => {
  // A DNS server that answers no query.
  const dns = createSocket('udp4').bind(0, '127.0.0.1')
  await once(dns, 'listening')
  // The defaults of production.
  const env = {
    ...rateLimits('20', 'ANONYMOUS'),
    ...rateLimits('100', 'CREATE', 'WRITE'),
    WEBHOOK_DNS_SERVERS: `127.0.0.1:${dns.address().port}`,
  }
  return withBench(context, { name: 'abuse', env, merchants: MERCHANTS }, async (bench) => {
    const figures = await measure(await openWorld(bench))
    dns.close()
    const missed = Object.entries(WANTED).filter(([name, isGood]) => !isGood(figures[name] ?? NaN))
    for (const [name] of missed) console.error(`not as wanted: ${name}`)
    console.log(JSON.stringify(Object.fromEntries(Object.keys(WANTED).map((name) => [name, rounded(figures[name] ?? NaN)]))))
    return missed.length === 0 ? 0 : 1
  })
})
