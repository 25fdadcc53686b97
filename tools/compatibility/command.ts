/**
 * `npm run compat`: whether the services of this checkout work with those of the compatibility point (point.json).
 * `-- --schemas` compares schemas only; `-- --record` makes the present commit the point; `-- --write` writes docs/asyncapi.json.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runOnBacking } from '@gateway-infra/local/temporary-backing'
import { runCommand } from '@gateway-infra/system/command'
import { ROOT } from '@gateway-infra/system/paths'
import { asyncApi } from './asyncapi.ts'
import { breaks, EXCHANGED } from './exchanged.ts'
import { hasCommit, readPoint, recordPoint } from './point.ts'

const flag = { type: 'boolean', default: false } as const

await runCommand(async (context, args) => {
  const { values } = parseArgs({ args: [...args], options: { schemas: flag, record: flag, write: flag } })
  if (values.write) writeFileSync(join(ROOT, 'docs/asyncapi.json'), `${JSON.stringify(asyncApi(), null, 2)}\n`)
  if (values.record) console.log(`the compatibility point is ${recordPoint()}`)
  if (values.write || values.record) return 0

  const { commit, ...point } = readPoint()
  const broken = breaks(point, EXCHANGED)
  const count = Object.keys(point.schemas).length
  console.log(`${count} schemas of ${commit.slice(0, 12)}, in both directions: ${broken.length} breaks`)
  for (const problem of broken) console.log(`BREAKS ${problem}`)
  if (values.schemas || broken.length > 0) return broken.length > 0 ? 1 : 0
  if (hasCommit(commit)) return runOnBacking('tools/compatibility/side-by-side.ts')(context, [commit])
  console.log(`NOT RUN side by side: commit ${commit} is not in this clone and cannot be fetched`)
  return 0
})
