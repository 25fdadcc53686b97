/**
 * `npm run bench:webhooks [-- --quick] [-- --profile <folder>]`: how fast the dispatcher delivers, beside what its parts can
 * do, and what hanging endpoints do to the others. Its last line is one JSON object; README.md says how to read it.
 */
import { parseArgs } from 'node:util'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import { runCommand } from '@gateway-infra/system/command'
import { describeMachine } from '@gateway-tools/load/machine'
import { benchWebhooks } from './bench.ts'

const OPTIONS = { quick: { type: 'boolean' }, profile: { type: 'string' } } as const

await runCommand((context, args) => {
  const { quick = false, profile } = parseArgs({ args: [...args], options: OPTIONS }).values
  return withTemporaryBacking(context, async (backing) => {
    const figures = await benchWebhooks(backing, { quick, profile })
    console.log(JSON.stringify({ ...figures, ...(await describeMachine(backing.mongoUrl, backing.amqpUrl)) }))
    return figures.lost === 0 ? 0 : 1
  })
})
