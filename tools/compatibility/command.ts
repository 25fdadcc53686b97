import { join } from 'node:path'
import { runOnBacking } from '@gateway-infra/local/temporary-backing'
import type { Command } from '@gateway-infra/system/context'
import { ROOT } from '@gateway-infra/system/paths'
import { runCommand } from '@gateway-infra/system/run-command'
import { runThrough } from '@gateway-infra/system/run-through'

const SCRIPT = 'tools/compatibility/main.ts'

/** Whether services of this checkout and of the compatibility point work together; with arguments it needs no engines. */
const compat: Command = (context, args) =>
  args.length === 0
    ? runOnBacking(SCRIPT)(context, args)
    : runThrough(process.execPath, [join(ROOT, SCRIPT), ...args], { ...context, cwd: ROOT })

await runCommand(compat)
