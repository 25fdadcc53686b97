/**
 * `npm run compat`: whether services of this checkout work with those of the compatibility point (point.json).
 * `-- --schemas` compares schemas only; `-- --record` makes the present commit the point; `-- --write` writes docs/asyncapi.json.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { endOnSignal } from '@gateway-tools/load/end-on-signal'
import { exitNow } from '@gateway-infra/system/exit-now'
import { asyncApi } from './asyncapi.ts'
import { breaks } from './breaks.ts'
import { EXCHANGED } from './exchanged.ts'
import { hasCommit, readPoint, recordPoint } from './point.ts'

const flag = { type: 'boolean', default: false } as const
const { values } = parseArgs({ options: { schemas: flag, record: flag, write: flag } })
if (values.write) {
  writeFileSync(new URL('../../docs/asyncapi.json', import.meta.url), `${JSON.stringify(asyncApi(), null, 2)}\n`)
} else if (values.record) {
  console.log(`the compatibility point is ${recordPoint()}`)
} else {
  endOnSignal()
  const problems = await check(values.schemas)
  for (const problem of problems) console.log(`BREAKS ${problem}`)
  await exitNow(problems.length === 0 ? 0 : 1)
}

async function check(schemasOnly: boolean): Promise<string[]> {
  const { commit, ...point } = readPoint()
  const broken = breaks(point, EXCHANGED)
  console.log(`${Object.keys(point.schemas).length} schemas of ${commit.slice(0, 12)}, both ways round: ${broken.length} breaks`)
  if (schemasOnly || broken.length > 0) return broken
  if (!hasCommit(commit)) {
    console.log(`NOT RUN side by side: commit ${commit} is not in this clone and cannot be fetched`)
    return []
  }
  const { MONGO_URL: mongoUrl = '', AMQP_URL: amqpUrl = '', BACKING: kind } = process.env
  const { runSideBySide } = await import('./side-by-side.ts')
  return runSideBySide(commit, { mongoUrl, amqpUrl, isTemporary: kind !== 'given' })
}
