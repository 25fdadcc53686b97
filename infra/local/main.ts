/** `node infra/local/main.ts <command> [...args]`: everything that runs on one machine. `bootstrap.mjs` comes before it. */
import { backup, restore } from './commands/backup.ts'
import { backing } from './commands/backing.ts'
import { benchGrowth } from './commands/bench-growth.ts'
import { benchWebhooks } from './commands/bench-webhooks.ts'
import { bench } from './commands/bench.ts'
import { cards, configTable, connector, format, kubernetesCheck, lint, size, typecheck } from './commands/checks.ts'
import { chaosBrokerCluster, chaosRolling, compat } from './commands/chaos.ts'
import { chaosWebhooks } from './commands/chaos-webhooks.ts'
import { composeCheck } from './commands/compose-check.ts'
import { testContainers } from './commands/containers.ts'
import { createContext, type Command } from './commands/context.ts'
import { benchCheckout, demo, readAloud, screenshots } from './commands/demo.ts'
import { engine } from './commands/engine.ts'
import { indexes } from './commands/indexes.ts'
import { masterKeys } from './commands/master-keys.ts'
import { purgeCustomers } from './commands/purge-customers.ts'
import { republish } from './commands/republish.ts'
import { start } from './commands/start.ts'
import { status } from './commands/status.ts'
import { stop } from './commands/stop.ts'
import { test } from './commands/test.ts'
import { webhooks } from './commands/webhooks.ts'
import { exitNow } from './system/exit-now.ts'
import { exitCodeOf, Stopped, untilAskedToStop } from './system/stopping.ts'
import { UserError } from './user-error.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  start,
  stop,
  status,
  backing,
  engine,
  'compose:check': composeCheck,
  'test:containers': testContainers,
  test,
  demo,
  bench,
  'bench:webhooks': benchWebhooks,
  'bench:growth': benchGrowth,
  'bench:checkout': benchCheckout,
  screenshots,
  'read-aloud': readAloud,
  'chaos:webhooks': chaosWebhooks,
  'chaos:rolling': chaosRolling,
  'chaos:broker-cluster': chaosBrokerCluster,
  compat,
  webhooks,
  indexes,
  backup,
  restore,
  republish,
  'master-keys': masterKeys,
  'purge-customers': purgeCustomers,
  lint,
  typecheck,
  format,
  size,
  connector,
  cards,
  'config:table': configTable,
  'kubernetes:check': kubernetesCheck,
}

const [name = '', ...args] = process.argv.slice(2)
await exitNow(await runCommand(name, args))

async function runCommand(commandName: string, commandArgs: readonly string[]): Promise<number> {
  const command = COMMANDS[commandName]
  if (!command) {
    console.error(`"${commandName}" is not a command. There are: ${Object.keys(COMMANDS).join(', ')}.`)
    return 2
  }
  try {
    return await command(createContext(process.env, untilAskedToStop()), commandArgs)
  } catch (error) {
    if (error instanceof Stopped) return exitCodeOf(error.signal)
    console.error(error instanceof UserError ? error.message : error)
    return 1
  }
}
